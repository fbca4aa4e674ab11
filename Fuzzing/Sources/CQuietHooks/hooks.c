// libFuzzer's hooks for comparisons, returning at once: they take half of a run's time, and what they find is which bytes a
// comparison wants. Where a target puts check bytes right itself, little is lost.
//
// The linker calls these in place of libFuzzer's own (`--wrap` in Package.swift).
#include <stdint.h>

void __wrap___sanitizer_cov_trace_cmp1(uint8_t one, uint8_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_cmp2(uint16_t one, uint16_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_cmp4(uint32_t one, uint32_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_cmp8(uint64_t one, uint64_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_const_cmp1(uint8_t one, uint8_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_const_cmp2(uint16_t one, uint16_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_const_cmp4(uint32_t one, uint32_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_const_cmp8(uint64_t one, uint64_t other) { (void)one, (void)other; }
void __wrap___sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases) { (void)value, (void)cases; }
