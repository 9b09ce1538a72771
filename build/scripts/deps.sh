#!/usr/bin/env bash
# deps.sh GROUP... uses apt to install the programs of the groups that are missing. It ignores programs that are
# already installed, no matter how.
set -eu

missing=()
want() { missing+=("$@"); }
# type -P ignores functions of this script that have the same name as a program.
have() { type -P "$1" >/dev/null; }

chromium() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    have "$name" && return
  done
  if grep -qs '^ID=ubuntu' /etc/os-release; then
    echo "On Ubuntu the package chromium-browser installs Chromium as a snap. A snap sees no hidden folders of your home;"
    echo "if browser panes do not start, install Google Chrome's .deb instead."
    want chromium-browser
  else
    want chromium
  fi
}

# Fonts for pages in every script and for emoji, also on a machine without a desktop.
fonts() {
  [ -n "$(fc-list :lang=zh-cn 2>/dev/null | head -n 1)" ] || want fontconfig fonts-wqy-microhei
  [ -n "$(fc-list :charset=1f642 2>/dev/null | head -n 1)" ] || want fonts-noto-color-emoji
}

for group in "$@"; do
  case $group in
    cgo) # SQLite is C
      have gcc || want gcc
      [ -e /usr/include/stdlib.h ] || want libc6-dev
      ;;
    gtk)
      have pkg-config || want pkg-config
      pkg-config --exists gtk+-3.0 2>/dev/null || want libgtk-3-dev
      pkg-config --exists webkit2gtk-4.1 2>/dev/null || want libwebkit2gtk-4.1-dev
      ;;
    chromium)
      chromium
      fonts
      ;;
    display)
      # It makes e2e cheaper where a distribution has it; Ubuntu does not.
      ! grep -qs '^ID=debian' /etc/os-release || have chromium-headless-shell || want chromium-headless-shell
      have Xvfb || want xvfb
      have xdotool || want xdotool
      have openbox || want openbox
      { have import && have convert; } || want imagemagick
      have WebKitWebDriver || [ -x /usr/lib/webkit2gtk-4.1/WebKitWebDriver ] || want webkit2gtk-driver
      have shellcheck || want shellcheck
      [ -n "$(fc-list 2>/dev/null | head -n 1)" ] || want fontconfig fonts-dejavu-core
      ;;
    shells) # programs that users and the tests run in terminals
      for name in git tmux vim htop fzf less zsh fish; do
        have "$name" || want "$name"
      done
      have gnome-keyring-daemon || want gnome-keyring
      have dbus-daemon || want dbus-daemon
      have ssh || want openssh-client
      # The tests start their own SSH server on a loopback port.
      [ -x /usr/sbin/sshd ] || want openssh-server
      # The checks of some transcripts are Python tests.
      have pytest || want python3-pytest
      ;;
    trust) # programs whose checks the attempts at a false "done" try to fool
      have make || want make
      have python3 || want python3
      have pytest || want python3-pytest
      have tox || want tox
      have cargo || want cargo
      have javac || want default-jdk-headless
      ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || have initdb || want postgresql
      for name in ruby perl curl jq sqlite3 git; do
        have "$name" || want "$name"
      done
      ;;
    package)
      have rsvg-convert || want librsvg2-bin
      have desktop-file-validate || want desktop-file-utils
      have appstreamcli || want appstream
      have dpkg-shlibdeps || want dpkg-dev
      have aarch64-linux-gnu-gcc || want gcc-aarch64-linux-gnu
      [ -e /usr/aarch64-linux-gnu/lib/libc.a ] || want libc6-dev-arm64-cross
      ;;
    roots) # clean Debian systems in a folder, and programs that inspect packages
      have mmdebstrap || want mmdebstrap
      have Xvfb || want xvfb
      have rpm || want rpm
      have lintian || want lintian
      ;;
    machine) # a clean Debian system in a virtual machine
      have mmdebstrap || want mmdebstrap
      have mke2fs || want e2fsprogs
      have qemu-system-x86_64 || want qemu-system-x86
      ;;
    terminals) # programs that the benchmark compares with
      have xterm || want xterm
      have kitty || want kitty
      ;;
    *)
      echo "deps.sh: unknown group $group" >&2
      exit 2
      ;;
  esac
done
[ ${#missing[@]} -gt 0 ] || exit 0

if ! have apt-get; then
  echo "These packages are missing, and this machine has no apt-get: ${missing[*]} (Debian's names)." >&2
  exit 1
fi
echo "Installing with apt: ${missing[*]}"
as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  if ! have sudo; then
    echo "Not root, and sudo is missing: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  if [ -t 0 ]; then
    read -r -p "This needs root. Use sudo? [Y/n] " answer
    case $answer in [nN]*)
      echo "Nothing installed. Run yourself: sudo apt-get install ${missing[*]}" >&2
      exit 1
      ;;
    esac
    as_root=(sudo "${as_root[@]}")
  elif sudo -n true 2>/dev/null; then
    as_root=(sudo -n "${as_root[@]}")
  else
    echo "sudo asks for a password and there is no terminal to type it: run: sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
case " ${missing[*]} " in *" openssh-server "*)
  # With Debian's own switch, the package is installed, but its service never starts.
  echo "The SSH server is for the tests alone: /etc/ssh/sshd_not_to_be_run keeps its service from starting."
  "${as_root[@]}" mkdir -p /etc/ssh
  "${as_root[@]}" touch /etc/ssh/sshd_not_to_be_run
  ;;
esac
"${as_root[@]}" apt-get update -q
"${as_root[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}"
