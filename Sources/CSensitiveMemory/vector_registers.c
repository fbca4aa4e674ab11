// Where AVX-512 is there, glibc copies through ymm16 to ymm31, which no compiled code of ours uses: what passed through them
// stays. The others are overwritten sooner, but not surely.
//
// To the caller this is a function like any other, which may change all of these registers (System V ABI for x86-64, 3.2.1;
// AAPCS64, 6.1.2: v8 to v15 keep their low halves, and are left alone).
#include "vector_registers.h"

#if defined(__x86_64__)

// Written by its VEX or EVEX form, the low part of a register zeroes the rest of it too (Intel SDM vol. 1, 14.1.2 and 15.5).
#define FORGET(n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
#define FORGET_HIGH(n) "vpxord %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n"
#define FORGET_OLD(n) "pxor %%xmm" #n ", %%xmm" #n "\n"
#define LOW(of) \
    of(0) of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13) of(14) of(15)
#define HIGH(of) \
    of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25) of(26) of(27) of(28) of(29) of(30) of(31)
#define LOW_NAMES                                                                                                 \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
        "xmm13", "xmm14", "xmm15"
#define HIGH_NAMES                                                                                             \
    "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
        "xmm28", "xmm29", "xmm30", "xmm31"

__attribute__((target("avx512vl"), noinline)) static void forget_all(void) {
    __asm__ volatile(LOW(FORGET) HIGH(FORGET_HIGH)::: LOW_NAMES, HIGH_NAMES);
}

__attribute__((target("avx"), noinline)) static void forget_low(void) {
    __asm__ volatile(LOW(FORGET)::: LOW_NAMES);
}

void swiped_forget_vector_registers(void) {
    if (__builtin_cpu_supports("avx512vl")) {
        forget_all();
    } else if (__builtin_cpu_supports("avx")) {
        forget_low();
    } else {
        __asm__ volatile(LOW(FORGET_OLD)::: LOW_NAMES);
    }
}

#elif defined(__aarch64__)

// An assumption: no core of an arm64 machine was searched yet.
void swiped_forget_vector_registers(void) {
    __asm__ volatile(
        "movi v0.2d, #0\n movi v1.2d, #0\n movi v2.2d, #0\n movi v3.2d, #0\n"
        "movi v4.2d, #0\n movi v5.2d, #0\n movi v6.2d, #0\n movi v7.2d, #0\n"
        "movi v16.2d, #0\n movi v17.2d, #0\n movi v18.2d, #0\n movi v19.2d, #0\n"
        "movi v20.2d, #0\n movi v21.2d, #0\n movi v22.2d, #0\n movi v23.2d, #0\n"
        "movi v24.2d, #0\n movi v25.2d, #0\n movi v26.2d, #0\n movi v27.2d, #0\n"
        "movi v28.2d, #0\n movi v29.2d, #0\n movi v30.2d, #0\n movi v31.2d, #0\n" ::
            : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
              "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
}

#else

void swiped_forget_vector_registers(void) {}

#endif
