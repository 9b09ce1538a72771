#!/usr/bin/env bash
# cgroup-test.sh boots a Debian with a real systemd in a virtual machine and runs the tests there that need cgroups of
# version 2: as root, as a user with a systemd, and as a user without one. It needs root to create the clean root of
# the machine. It does not need KVM: QEMU's own emulation is slower, but works everywhere. SUITE=NAME selects another
# Debian, RUN=REGEXP other tests of backend/host/sandbox, and LIMIT=60m the time limit. Only apt contacts other machines;
# the virtual machine has no network.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
  echo "cgroup-test.sh: making a clean root needs root: sudo make cgroup-test" >&2
  exit 1
fi
suite=${SUITE:-$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)}
limit=${LIMIT:-60m}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
step() { printf '\n== %s\n' "$*"; }

# The file is reused. Remove it to get newer packages.
base=.tools/cgroup-root-$suite.tar
if [ ! -e "$base" ]; then
  step "a clean $suite with systemd and a kernel, once"
  mkdir -p .tools
  mmdebstrap --quiet --variant=minbase --mode=root \
    --include=systemd-sysv,dbus,dbus-user-session,libpam-systemd,linux-image-cloud-amd64 \
    "$suite" "$base.part" http://deb.debian.org/debian
  mv "$base.part" "$base"
fi

step "the tests, and goalctl"
mkdir -p "$root"
tar -xf "$base" -C "$root"
inside=$root/opt/goalpost
mkdir -p "$inside"
CGO_ENABLED=0 go test -c -o "$inside/sandbox.test" ./backend/host/sandbox
CGO_ENABLED=0 go test -c -o "$inside/cgroup.test" ./backend/host/sandbox/cgroup
go test -c -o "$inside/app.test" ./backend/app
cp bin/goalctl backend/host/sandbox/embed/goalpost-helper "$inside/"

# The order of the users matters: tester gets the id 1000. Its systemd runs without a login.
cat >"$inside/run" <<'END'
#!/bin/bash
cd /
useradd --create-home --shell /bin/bash tester
useradd --create-home --shell /bin/bash lonely
loginctl enable-linger tester
uname -sr
systemctl --version | head -n 1
failed=
attempt() { # NAME COMMAND...
  printf '\n== %s\n' "$1"
  shift
  "$@" 2>&1 || { failed=1; echo "^^ this failed ($?)"; }
}
# Runs a command in a session of its own, outside of the user's systemd, as a login does.
as_tester() {
  systemd-run --wait --pipe --quiet --uid=tester --working-directory=/home/tester -p PAMName=login \
    -p Environment=SANDBOX_TEST_HELPER=/opt/goalpost/goalpost-helper -p Environment=GOALPOST_TEST_SYSTEMD=user "$@"
}
as_lonely() {
  runuser -u lonely -- env -C /home/lonely -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS HOME=/home/lonely \
    SANDBOX_TEST_HELPER=/opt/goalpost/goalpost-helper GOALPOST_TEST_SYSTEMD=none "$@"
}
as_root() { env HOME=/root SANDBOX_TEST_HELPER=/opt/goalpost/goalpost-helper GOALPOST_TEST_SYSTEMD=system "$@"; }
# The first access to every file is slow in an emulated machine, so this waits until the system has started.
as_tester systemctl --user is-system-running --wait
tests=$(cat /opt/goalpost/tests)
for who in tester root lonely; do
  attempt "$who: what goalctl doctor says" as_$who /opt/goalpost/goalctl doctor
  attempt "$who: a bounded process" as_$who /opt/goalpost/cgroup.test -test.v -test.timeout 10m -test.run TestOpen_Real
  attempt "$who: the sandbox" as_$who /opt/goalpost/sandbox.test -test.v -test.timeout 30m -test.run "$tests"
done
attempt "tester: a goal, its journal and its agent" \
  as_tester /opt/goalpost/app.test -test.v -test.timeout 10m -test.run '^TestMemoryHog'
attempt "nothing is left" sh -c '! ls -d /sys/fs/cgroup/*/*goalpost*/*.scope /sys/fs/cgroup/*/*/*/*/*goalpost*/*.scope 2>&-'
[ -n "$failed" ] || echo "cgroup-test: passed"
END
chmod 755 "$inside/run"
echo "${RUN:-^TestCgroup_|^TestSpec_|^TestTerminal_|^TestCheck_BackgroundChild_EndsWithIt}" >"$inside/tests"
units=$root/etc/systemd/system
cat >"$units/goalpost-test.service" <<'END'
[Unit]
After=multi-user.target systemd-user-sessions.service
SuccessAction=poweroff-force
FailureAction=poweroff-force
[Service]
Type=exec
ExecStart=/opt/goalpost/run
StandardOutput=file:/dev/ttyS0
StandardError=inherit
END
mkdir -p "$units/default.target.wants"
ln -s ../goalpost-test.service "$units/default.target.wants/"
for unneeded in getty.target serial-getty@ttyS0.service e2scrub_reap.service apt-daily.timer; do
  ln -sf /dev/null "$units/$unneeded"
done
truncate -s 3G "$work/disk"
mke2fs -q -t ext4 -d "$root" "$work/disk"

step "a virtual machine, at most $limit"
timeout "$limit" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 2048 -nic none -no-reboot \
  -display none -monitor none -serial stdio -drive "file=$work/disk,if=virtio,format=raw,cache=unsafe" \
  -kernel "$root/vmlinuz" -initrd "$root/initrd.img" \
  -append "root=/dev/vda rw console=ttyS0 quiet systemd.show_status=false" </dev/null | tee "$work/log" || true
grep -q '^cgroup-test: passed' "$work/log" || {
  echo "cgroup-test.sh: a test failed, or the machine did not come to its end within $limit" >&2
  exit 1
}
