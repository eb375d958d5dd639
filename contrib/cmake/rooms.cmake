# SPDX-License-Identifier: Apache-2.0
# A room's files are all the .c files of its folder. Include folders are private on purpose: linking a room does not
# let you see the rooms that it uses.

set(runa_lib_yajl yajl_s)
set(runa_lib_crypto crypto)
set(runa_lib_seccomp seccomp)
set(runa_lib_cap cap)
set(runa_lib_archive archive)
if(RUNA_KIND STREQUAL release) # a static libarchive does not name what it needs
    list(APPEND runa_lib_archive nettle acl lzma zstd lz4 bz2 z)
endif()

function(runa_flags target)
    target_compile_options(${target} PRIVATE ${runa_common} ${runa_warnings} ${runa_kind_flags}
        -include ${CMAKE_SOURCE_DIR}/lib/base/banned.h)
    target_compile_definitions(${target} PRIVATE RUNA_VERSION="${PROJECT_VERSION}")
endfunction()

function(runa_uses target)
    foreach(use IN LISTS ARGN)
        target_include_directories(${target} PRIVATE ${runa_dir_${use}})
        target_link_libraries(${target} PRIVATE runa_${use})
    endforeach()
endfunction()

function(runa_room name folder)
    cmake_parse_arguments(arg "" "" "USES;LIBS" ${ARGN})
    set(runa_dir_${name} ${CMAKE_SOURCE_DIR}/${folder})
    set(runa_dir_${name} ${CMAKE_SOURCE_DIR}/${folder} PARENT_SCOPE)
    set(runa_uses_${name} ${arg_USES} PARENT_SCOPE)
    set_property(GLOBAL APPEND PROPERTY runa_rooms ${name})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    if(NOT sources)
        add_library(runa_${name} INTERFACE)
        return()
    endif()
    add_library(runa_${name} STATIC ${sources})
    runa_flags(runa_${name})
    target_include_directories(runa_${name} PRIVATE ${CMAKE_SOURCE_DIR}/${folder})
    runa_uses(runa_${name} ${arg_USES})
    foreach(lib IN LISTS arg_LIBS)
        target_link_libraries(runa_${name} PRIVATE ${runa_lib_${lib}})
    endforeach()
endfunction()

function(runa_program name folder)
    cmake_parse_arguments(arg "" "" "USES" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.c)
    if(NOT sources)
        return()
    endif()
    add_executable(${name} ${sources})
    runa_flags(${name})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/${folder})
    runa_uses(${name} ${arg_USES})
    target_link_options(${name} PRIVATE ${runa_link} ${runa_kind_link})
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    install(TARGETS ${name} DESTINATION bin)
endfunction()

# The program's first instructions are lib/kernel/self_exe_entry.c. What compilers put in by themselves does not work
# there.
function(runa_entry_of name)
    if(NOT RUNA_KIND STREQUAL release OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64")
        return()
    endif()
    set(bare -ffreestanding -fno-builtin -fno-stack-protector -U_FORTIFY_SOURCE -fno-stack-clash-protection
        -ftrivial-auto-var-init=uninitialized -fno-tree-loop-distribute-patterns)
    set_source_files_properties(lib/kernel/self_exe_entry.c PROPERTIES
        COMPILE_DEFINITIONS RUNA_SELF_EXE_ENTRY
        COMPILE_OPTIONS "${bare}")
    target_link_options(${name} PRIVATE -Wl,-e,runa_entry -Wl,-u,runa_entry)
endfunction()
