#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# agent.pl escape|work KEY=VALUE...: what an agent gone wrong tries in its sandbox, or what a good one does. Run by
# contrib/demo, with what Debian's smallest image has. Prints a line for each try, fields apart by tabs:
#   section   what   denied|THROUGH|done|FAILED   error   by what
# Keys: secret neighbour outside (paths of the host) address port pid (of the host) socket (abstract) variable (with
# the secret)
use strict;
use warnings;
use Errno;
use Fcntl;
use POSIX ();
use Socket;

$$ == 1 or die "agent: means harm, so it runs as the first process of a sandbox only\n";
my ($mode, @words) = @ARGV;
my %host = map { split /=/, $_, 2 } @words;
my $section = '';
$| = 1;

# System calls that Perl has no function for, by number.
my %numbers = (
    x86_64 => { mount => 165, umount => 166, unshare => 272, setns => 308, pivot_root => 155, open_by_handle_at => 304, ptrace => 101,
        process_vm_readv => 310, init_module => 175, kexec_load => 246, bpf => 321, keyctl => 250, io_uring_setup => 425, reboot => 169,
        sethostname => 170, settimeofday => 164, mknod => sub { (133, @_) }, userfaultfd => 323 },
    aarch64 => { mount => 40, umount => 39, unshare => 97, setns => 268, pivot_root => 41, open_by_handle_at => 265, ptrace => 117,
        process_vm_readv => 270, init_module => 105, kexec_load => 104, bpf => 280, keyctl => 219, io_uring_setup => 425, reboot => 142,
        sethostname => 161, settimeofday => 170, mknod => sub { (33, -100, @_) }, userfaultfd => 282 },
);
my $machine = (POSIX::uname())[4];
my $number = $numbers{$machine} or die "agent: no system call numbers for $machine\n";

sub call {
    my ($name, @args) = @_;
    my $nr = $number->{$name};
    ($nr, @args) = ref $nr ? $nr->(@args) : ($nr, @args);
    return syscall($nr, @args) >= 0 && $name;
}

sub error_name {
    my ($name) = grep { $!{$_} } sort { ($a =~ /^E(WOULDBLOCK|DEADLOCK|NOTSUP)$/) <=> ($b =~ /^E(WOULDBLOCK|DEADLOCK|NOTSUP)$/) } keys %!;
    return $name // '-';
}

sub report { print join("\t", $section, @_), "\n" }

# try WHAT, { ERROR => wall }, CODE: CODE returns true when it got through; else $! says why not, or "none" when nothing
# was there.
sub try {
    my ($what, $walls, $code) = @_;
    $! = 0;
    my $got = $code->();
    my $error = $! ? error_name() : 'none';
    return report($what, 'THROUGH', '', "got: $got") if $got;
    report($what, 'denied', $error eq 'none' ? '' : $error, $walls->{$error} // $walls->{any} // 'not the wall that was expected');
}

sub do_well {
    my ($what, $code) = @_;
    my $got = eval { $code->() };
    report($what, $got ? 'done' : 'FAILED', '', $got || $@ || "$!");
}

sub read_file { open(my $f, '<', $_[0]) or return; local $/; my $text = <$f>; return $text }
sub write_file { open(my $f, $_[0], $_[1]) or return; (syswrite($f, $_[2] // 'x') && close $f) or return; return "wrote $_[1]" }
sub processes { return map { m{(\d+)} } glob '/proc/[0-9]*' }

sub tcp {
    my ($address, $port) = @_;
    socket(my $s, AF_INET, SOCK_STREAM, 0) or return;
    local $SIG{ALRM} = sub { };
    alarm 3;
    my $ok = connect($s, pack_sockaddr_in($port, inet_aton($address)));
    alarm 0;
    return $ok && "connected to $address";
}

sub socket_of {
    my ($family, $type, $protocol) = @_;
    return socket(my $s, $family, $type, $protocol) && 'a socket';
}

sub secrets {
    $section = 'read what is not for it';
    my %mounts = (ENOENT => 'mount namespace: no such path inside');
    try 'a secret file of the host', \%mounts, sub { read_file($host{secret}) };
    try 'the same through the root of process 1', \%mounts, sub { read_file("/proc/1/root$host{secret}") };
    try 'the same through a process of the host', { ENOENT => 'PID namespace: the process is not there' },
        sub { read_file("/proc/$host{pid}/root$host{secret}") };
    try 'the same by the link that lies in its workspace', \%mounts, sub { read_file('/workspace/shortcut') };
    try "the caller's secret variable, in any process", { none => 'policy: environment by list' }, sub {
        my ($found) = grep { ($_ // '') =~ /\Q$host{variable}\E=/ } map { read_file("/proc/$_/environ") } processes();
        $! = 0;
        return $ENV{$host{variable}} // $found;
    };
    try 'the files of another sandbox', \%mounts, sub { read_file($host{neighbour}) };
    try 'the memory of the machine, /proc/kcore', { none => 'mask: an empty file', EACCES => 'mask', ENOENT => 'mask' },
        sub { my $text = read_file('/proc/kcore'); return defined $text && length $text ? 'bytes' : '' };
    try "the kernel's log", { ENOENT => 'no such device in its /dev' }, sub { read_file('/dev/kmsg') };
}

sub network {
    $section = 'reach others';
    my %route = (ENETUNREACH => 'network namespace: no route');
    try 'a server on this host', \%route, sub { tcp($host{address}, $host{port}) };
    try "a server on the host's loopback", { ECONNREFUSED => 'network namespace: a loopback of its own' },
        sub { tcp('127.0.0.1', $host{port}) };
    try 'an address in the internet', \%route, sub { tcp('192.0.2.1', 443) };
    try 'the metadata of a cloud', \%route, sub { tcp('169.254.169.254', 80) };
    try 'a name, by DNS', { any => 'network namespace: no resolver, no route' },
        sub { my $found = gethostbyname('example.com'); return $found ? 'an address' : '' };
    try 'a resolver, by UDP', \%route, sub {
        socket(my $s, AF_INET, SOCK_DGRAM, 0) or return;
        return send($s, 'query', 0, pack_sockaddr_in(53, inet_aton('192.0.2.53'))) && 'sent';
    };
    try 'a service by its abstract socket', { ECONNREFUSED => 'network namespace: names of its own' }, sub {
        socket(my $s, AF_UNIX, SOCK_STREAM, 0) or return;
        return connect($s, pack_sockaddr_un("\0$host{socket}")) && 'connected';
    };
    try 'raw packets', { EPERM => 'seccomp' }, sub { socket_of(AF_INET, SOCK_RAW, 1) };
    try 'packets of the wire', { EAFNOSUPPORT => 'seccomp: families by list' }, sub { socket_of(17, SOCK_RAW, 0) };
    try "the kernel's cipher sockets (AF_ALG)", { EAFNOSUPPORT => 'seccomp: families by list' }, sub { socket_of(38, SOCK_SEQPACKET, 0) };
    try 'the hypervisor (AF_VSOCK)', { EAFNOSUPPORT => 'seccomp: families by list' }, sub { socket_of(40, SOCK_STREAM, 0) };
}

sub outside {
    $section = 'write outside of its workspace';
    try 'a file beside the workspace on the host', { ENOENT => 'mount namespace: no such path inside' },
        sub { write_file('>>', $host{outside}) };
    try 'the same by a link in the workspace', { ENOENT => 'mount namespace: no such path inside' },
        sub { write_file('>>', '/workspace/elsewhere/outside') };
    try "a file of the host's root in the workspace", { EACCES => "id map: one owner's files only", EPERM => 'id map' },
        sub { write_file('>>', '/workspace/roots') };
    try 'the same, made its own first', { EPERM => "id map: one owner's files only", EOVERFLOW => 'id map', EACCES => 'id map' },
        sub { chown(0, 0, '/workspace/roots') && 'owner changed' };
    try 'a volume that was given read-only', { EROFS => 'read-only mount' }, sub { write_file('>>', '/reference/file') };
    try 'a disk, by a node of its own making', { EPERM => 'user namespace: no CAP_MKNOD' },
        sub { (call('mknod', '/tmp/disk', 0060600, 8 << 8) && sysopen(my $d, '/tmp/disk', O_RDWR)) && 'a disk' };
    try 'a disk node in the workspace', { EPERM => 'user namespace: no CAP_MKNOD', EACCES => 'file mode' },
        sub { call('mknod', '/workspace/disk', 0060600, 8 << 8) && 'a node' };
    try 'memory, by /dev/mem', { ENOENT => 'no such device in its /dev' }, sub { sysopen(my $d, '/dev/mem', O_RDWR) && '/dev/mem' };
}

sub escape {
    $section = 'escape';
    my %seccomp = (EPERM => 'seccomp', ENOSYS => 'seccomp');
    my %readonly = (EROFS => 'read-only mount', EACCES => 'file mode: root of the sandbox is nobody here', ENOENT => 'not there');
    my ($zero, $text) = ("\0" x 256, 'x');
    try 'mount', \%seccomp, sub { call('mount', 'x', '/mnt', 'tmpfs', 0, 0) };
    try 'unmount what masks /proc', \%seccomp, sub { call('umount', '/proc/kcore', 2) };
    try 'a user namespace of its own', \%seccomp, sub { call('unshare', 0x10000000) };
    try 'a mount namespace of its own', \%seccomp, sub { call('unshare', 0x20000) };
    try 'to enter the namespaces of process 1', \%seccomp,
        sub { open(my $n, '<', '/proc/1/ns/mnt') or return; return call('setns', fileno($n), 0) };
    try 'chroot and out by a directory kept open', \%seccomp, sub { chroot('/tmp') };
    try 'pivot_root', \%seccomp, sub { call('pivot_root', '/', '/') };
    try 'a file by its handle, past all mounts', \%seccomp, sub { call('open_by_handle_at', -100, $zero, 0) };
    try 'ptrace', \%seccomp, sub { call('ptrace', 16, 1, 0, 0) };
    try "another process's memory", \%seccomp, sub { call('process_vm_readv', 1, 0, 0, 0, 0, 0) };
    try 'to kill a process of the host', { ESRCH => 'PID namespace: no such process' }, sub { kill(9, $host{pid}) };
    try "the runtime's program, by /proc/PID/exe", { none => 'PID namespace: only its own programs are in sight',
            EACCES => 'file mode', ETXTBSY => 'kernel: a running program is not written' }, sub {
        my ($program) = grep { (readlink // '') =~ m{runa|memfd} } map { "/proc/$_/exe" } processes();
        $! = 0;
        return $program && write_file('>', $program);
    };
    try 'its own program, by /proc/self/exe', { ETXTBSY => 'kernel: a running program is not written', EACCES => 'file mode' },
        sub { write_file('>', '/proc/self/exe') };
    try 'a kernel module', \%seccomp, sub { call('init_module', $zero, 256, $text) };
    try 'another kernel (kexec)', \%seccomp, sub { call('kexec_load', 0, 0, 0, 0) };
    try 'a program in the kernel (bpf)', \%seccomp, sub { call('bpf', 0, $zero, 256) };
    try 'io_uring', \%seccomp, sub { call('io_uring_setup', 1, $zero) };
    try 'userfaultfd', \%seccomp, sub { call('userfaultfd', 0) };
    try "the caller's keys (keyctl)", \%seccomp, sub { call('keyctl', 0, -3, 0) };
    try "keystrokes into the caller's terminal (TIOCSTI)", \%seccomp, sub { ioctl(STDIN, 0x5412, my $key = "\n") };
    try '/proc/sysrq-trigger', \%readonly, sub { write_file('>', '/proc/sysrq-trigger', 'h') };
    try "the host's core_pattern", \%readonly, sub { write_file('>', '/proc/sys/kernel/core_pattern', '|/tmp/x') };
    try "the kernel's helper programs", \%readonly, sub { write_file('>', '/sys/kernel/uevent_helper', '/tmp/x') };
    try 'its own limits, by cgroupfs', \%readonly, sub { write_file('>', '/sys/fs/cgroup/pids.max', 'max') || write_file('>', '/sys/fs/cgroup/cgroup.procs', '0') };
    try 'to rename the host', \%seccomp, sub { call('sethostname', $text, 1) };
    try 'to set the clock', \%seccomp, sub { call('settimeofday', $zero, 0) };
    try 'to stop the machine', \%seccomp, sub { call('reboot', 0xfee1dead, 672274793, 0x1234567, 0) };
}

sub exhaust {
    $section = 'use up the machine';
    my $fill = sub {
        my ($folder, $most) = @_;
        open(my $f, '>', "$folder/fill") or return;
        my ($block, $n, $error) = ("\0" x (1 << 20), 0, 0);
        while ($n < $most) { defined(my $got = syswrite($f, $block)) or do { $error = $!; last }; $n++ }
        unlink "$folder/fill";
        $! = $error;
        return $n >= $most && "$n MiB";
    };
    try 'memory, by 700 MiB in /tmp', { ENOSPC => 'size of its /tmp' }, sub { $fill->('/tmp', 700) };
    try 'memory, by 100 MiB in /dev/shm', { ENOSPC => 'size of its /dev/shm' }, sub { $fill->('/dev/shm', 100) };
    try 'descriptors, 100000 of them', { EMFILE => 'RLIMIT_NOFILE' }, sub {
        my @open;
        while (@open < 100000) { open(my $f, '<', '/dev/null') or do { my $e = $!; @open = (); $! = $e; return }; push @open, $f }
        return scalar @open;
    };
}

# Alone, under a policy with small limits.
sub bomb {
    $section = 'use up the machine';
    try 'processes, by a fork bomb', { EAGAIN => 'cgroup: pids.max' }, sub {
        my @children;
        my $error = 0;
        while (@children < 5000) {
            my $pid = fork;
            if (!defined $pid) { $error = $!; last }
            if (!$pid) { sleep 60; POSIX::_exit(0) }
            push @children, $pid;
        }
        kill 'KILL', @children;
        waitpid($_, 0) for @children;
        $! = $error;
        return !$error && scalar @children;
    };
}

sub work {
    $section = 'its work';
    my $run = sub { my $text = qx($_[0] 2>&1); $? == 0 or die $text =~ s/\s+/ /gr . "\n"; return $text =~ s/\s+$//r };
    do_well 'write and rename files in its workspace', sub {
        write_file('>', '/workspace/result.new', "42\n") && rename('/workspace/result.new', '/workspace/result') && 'result' };
    do_well 'read a reference that was given read-only', sub { read_file('/reference/file') =~ s/\n//r };
    do_well 'run a pipeline', sub { $run->(q(printf '%s\n' c a b | sort | tr '\n' ' ')) };
    do_well 'use a temporary directory', sub { $run->('mktemp -d') };
    do_well 'talk to a server of its own on the loopback', sub {
        socket(my $s, AF_INET, SOCK_STREAM, 0) or return;
        bind($s, pack_sockaddr_in(0, INADDR_LOOPBACK)) && listen($s, 1) or return;
        my ($port) = sockaddr_in(getsockname $s);
        return tcp('127.0.0.1', $port);
    };
    return if $> != 0;
    do_well 'install a package from a file with apt', sub { $run->('apt-get install -y /reference/own-tool.deb'); $run->('own-tool') };
    do_well 'see what the package set up', sub { $run->('stat -c "%U:%G %a" /var/lib/own-tool') };
    do_well 'become another user', sub { 'uid ' . $run->('setpriv --reuid=33 --regid=33 --clear-groups id -u') };
    do_well 'change its system as it likes', sub { write_file('>', '/etc/motd', 'mine') && unlink('/usr/bin/apt-key') && 'its own copy' };
}

if ($mode eq 'escape') { secrets(); network(); outside(); escape(); exhaust() }
elsif ($mode eq 'bomb') { bomb() }
else { work() }
