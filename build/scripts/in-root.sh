#!/usr/bin/env bash
# in-root.sh ROOT COMMAND... runs a command as root in the system below ROOT, as if that system were booted: with its
# own mounts, processes and host name. It uses pivot_root, because the kernel denies user namespaces to a process in a
# chroot. With OFFLINE set there is only a loopback interface. Programs that the command leaves running end with it.
set -eu
if [ "${1-}" != --inside ]; then
  root=$1
  shift
  net=
  [ -z "${OFFLINE-}" ] || net=--net
  exec unshare --mount --pid --fork --kill-child --uts --ipc $net --propagation private "$0" --inside "$root" "$@"
fi
shift
root=$1
shift
[ -z "${OFFLINE-}" ] || ip link set lo up
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys && mount -o remount,bind,ro sys
mount -t tmpfs -o mode=755 dev dev
for name in null zero full random urandom tty; do touch dev/$name && mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 shm dev/shm
mount -t tmpfs -o mode=755 run run
mount -t tmpfs -o mode=1777 tmp tmp
[ -n "${OFFLINE-}" ] || cp /etc/resolv.conf etc/resolv.conf
mkdir -p .outside
pivot_root . .outside
cd /
umount -l /.outside
rmdir /.outside
hostname clean-root
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
export DEBIAN_FRONTEND=noninteractive
exec "$@"
