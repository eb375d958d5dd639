# SPDX-License-Identifier: Apache-2.0
# Kinds of build. release: what users install. dev: sanitizers and the fault table, warnings are errors.
set(RUNA_KIND release CACHE STRING "release, dev, coverage, fuzz or analyze")
set_property(CACHE RUNA_KIND PROPERTY STRINGS release dev coverage fuzz analyze)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_BUILD_TYPE "" CACHE STRING "unused: see RUNA_KIND" FORCE)

set(runa_warnings
    -Wall -Wextra -Wformat=2 -Wconversion -Wsign-conversion -Wshadow -Wundef -Wcast-qual -Wcast-align
    -Wstrict-prototypes -Wold-style-definition -Wmissing-prototypes -Wredundant-decls -Wnested-externs
    -Wnull-dereference -Wdouble-promotion -Wvla -Walloca -Wimplicit-fallthrough -Wswitch-enum
    -Wunused-result -Wwrite-strings -Wpointer-arith -Wframe-larger-than=65536 -Werror=implicit)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    list(APPEND runa_warnings
        -Wformat-overflow=2 -Wformat-truncation=2 -Wformat-signedness -Warith-conversion -Wduplicated-cond
        -Wduplicated-branches -Wlogical-op -Walloc-zero -Wstringop-overflow=4 -Warray-bounds=2
        -Wuse-after-free=3 -Wdangling-pointer=2 -Wtrampolines -Wbidi-chars=any,ucn -Wjump-misses-init)
    set(runa_init -ftrivial-auto-var-init=zero -fzero-call-used-regs=used-gpr)
else()
    list(APPEND runa_warnings -Wunreachable-code-aggressive -Wconditional-uninitialized)
    set(runa_init -ftrivial-auto-var-init=pattern)
endif()

set(runa_common
    -D_GNU_SOURCE -fPIE -fno-common -fno-delete-null-pointer-checks -fno-strict-overflow -fno-strict-aliasing
    -fvisibility=hidden -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -g)
set(runa_link -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code,-z,defs,--as-needed)
set(runa_hardening
    -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection ${runa_init})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
    list(APPEND runa_hardening -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    list(APPEND runa_hardening -mbranch-protection=standard)
endif()

if(RUNA_KIND STREQUAL release)
    set(runa_kind_flags ${runa_hardening} -ffunction-sections -fdata-sections)
    set(runa_kind_link -static-pie -Wl,--gc-sections)
elseif(RUNA_KIND STREQUAL dev)
    set(runa_kind_flags -O1 -Werror -DRUNA_FAULT_TABLE=1 -fsanitize=address,undefined -fno-omit-frame-pointer)
    set(runa_kind_link -pie -fsanitize=address,undefined)
elseif(RUNA_KIND STREQUAL coverage)
    set(runa_kind_flags -O0 -DRUNA_FAULT_TABLE=1 --coverage)
    set(runa_kind_link -pie --coverage)
elseif(RUNA_KIND STREQUAL fuzz)
    set(runa_kind_flags -O1 -fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer)
    set(runa_kind_link -pie -fsanitize=address,undefined)
elseif(RUNA_KIND STREQUAL analyze)
    set(runa_kind_flags ${runa_hardening} -Werror)
    set(runa_kind_link -pie)
    if(CMAKE_C_COMPILER_ID STREQUAL GNU)
        list(APPEND runa_kind_flags -fanalyzer)
    else()
        set(CMAKE_C_CLANG_TIDY clang-tidy --quiet) # checks: .clang-tidy
    endif()
else()
    message(FATAL_ERROR "RUNA_KIND=${RUNA_KIND}: not one of release, dev, coverage, fuzz, analyze")
endif()
