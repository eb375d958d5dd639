/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest payload: a static program without libc that exits 0, so that a measured run holds the
 * runtime's work and not the payload's. Build: cc -static -nostdlib -ffreestanding -O2. */
#include <asm/unistd.h>

void _start(void);

__attribute__((noreturn)) void _start(void)
{
#if defined(__x86_64__)
    __asm__ volatile("syscall" : : "a"(__NR_exit_group), "D"(0) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long number __asm__("x8") = __NR_exit_group;
    register long status __asm__("x0") = 0;
    __asm__ volatile("svc 0" : : "r"(number), "r"(status) : "memory");
#else
#error "no system call sequence for this machine"
#endif
    __builtin_unreachable();
}
