#ifndef SWIPED_VECTOR_REGISTERS_H
#define SWIPED_VECTOR_REGISTERS_H

/// Zeroes the calling thread's vector registers, through which memcpy and its kin move what they copy. Whoever wipes a copy calls
/// it too: a register that nothing uses again keeps a card's digits for as long as its thread sleeps, and a core shows it.
void swiped_forget_vector_registers(void);

#endif
