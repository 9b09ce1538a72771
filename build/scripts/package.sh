#!/usr/bin/env bash
# package.sh VERSION builds the packages for this machine's processor and the archives of goalctl into dist/. The same
# commit and version give the same bytes with the same compilers (reproducible.sh compares). With ONLY_DEB set it builds
# nothing but the .deb.
set -eu
cd "$(dirname "$0")/../.."
version=$1
: "${NFPM:?}" "${CYCLONEDX:?}" "${WINDOW:?}"
if [ "$version" = unversioned ]; then
  echo "package.sh: there is no git repository to take a version from: give one, such as make package VERSION=1.2.3" >&2
  exit 1
fi
export LC_ALL=C TZ=UTC
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022
arch=$(go env GOHOSTARCH)
dist=$PWD/dist work=$PWD/dist/.work
rm -rf "$dist"
mkdir -p "$work"
from=build/package

# build OUTPUT PACKAGE [FLAG...]
build() {
  local out=$1 package=$2
  shift 2
  go build -trimpath -buildvcs=false "$@" -o "$out" "$package"
}
ldflags="-s -w -X main.version=$version"

# archive NAME packs the folder NAME of the work folder into dist/NAME.tar.gz.
archive() {
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$work" -cf - "$1" |
    gzip -n9 >"$dist/$1.tar.gz"
}

# install_docs FOLDER copies what the README links to.
install_docs() {
  cp -r README.md docs "$1/"
  rm -rf "$1"/docs/{.vitepress,node_modules,package.json,package-lock.json}
}

# install_texts FOLDER installs man pages and completions of goalctl below FOLDER/share.
install_texts() {
  local share=$1/share
  mkdir -p "$share"/man/man1 "$share"/bash-completion/completions "$share"/zsh/vendor-completions \
    "$share"/fish/vendor_completions.d
  cp "$work"/texts/man/*.1 "$share"/man/man1/
  gzip -n9 "$share"/man/man1/*.1
  cp "$work"/texts/goalctl.bash "$share"/bash-completion/completions/goalctl
  cp "$work"/texts/goalctl.zsh "$share"/zsh/vendor-completions/_goalctl
  cp "$work"/texts/goalctl.fish "$share"/fish/vendor_completions.d/goalctl.fish
}

echo "goalctl and the window for $arch"
tree=$work/goalpost-$version-linux-$arch
mkdir -p "$tree/bin"
build "$tree/bin/goalctl" ./cmd/goalctl -ldflags "$ldflags"
# shellcheck disable=SC2086 # several flags
build "$tree/bin/goalpost" . $WINDOW -ldflags "$ldflags"

mkdir -p "$work/texts/man"
"$tree/bin/goalctl" manual "$work/texts/man"
mkdir "$work/texts/window"
"$tree/bin/goalpost" manual "$work/texts/window"
cp "$work/texts/window/goalpost.1" "$work/texts/window/goalpost-open.1" "$work/texts/man/"
for shell in bash zsh fish; do "$tree/bin/goalctl" completion "$shell" >"$work/texts/goalctl.$shell"; done
install_texts "$tree"

share=$tree/share
mkdir -p "$share/applications" "$share/metainfo" "$share/icons/hicolor/scalable/apps" "$share/doc/goalpost"
cp $from/goalpost.desktop $from/goalpost-url.desktop "$share/applications/"
sed -e "s/@VERSION@/$version/" -e "s/@DATE@/$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)/" $from/goalpost.metainfo.xml \
  >"$share/metainfo/goalpost.metainfo.xml"
cp frontend/public/icon.svg "$share/icons/hicolor/scalable/apps/goalpost.svg"
for size in 16 22 24 32 48 64 96 128 256 512; do
  mkdir -p "$share/icons/hicolor/${size}x$size/apps"
  rsvg-convert -w $size -h $size frontend/public/icon.svg -o "$share/icons/hicolor/${size}x$size/apps/goalpost.png"
done
install_docs "$share/doc/goalpost"
cp $from/copyright "$share/doc/goalpost/copyright"
gzip -n9 <CHANGELOG.md >"$share/doc/goalpost/NEWS.gz"
desktop-file-validate "$share"/applications/*.desktop
# The identifier has no domain, because the project has none.
appstreamcli validate --no-net --override=cid-desktopapp-is-not-rdns=info "$share/metainfo/goalpost.metainfo.xml"

# static_archive ARCH COMPILER: builds an archive with goalctl for a server, which may have another processor. COMPILER
# is the name of Debian's C compiler for ARCH.
static_archive() {
  local to=$1 cc=$2 name helper overlay comma
  echo "static goalctl for $to"
  name=goalctl-$version-linux-$to
  mkdir -p "$work/embed-$to" "$work/$name"
  overlay=$work/embed-$to/overlay.json
  printf '{"Replace":{' >"$overlay"
  comma=
  for helper in goalpost-helper goalpost-predicate; do
    CGO_ENABLED=0 GOARCH=$to build "$work/embed-$to/$helper" ./cmd/$helper -ldflags "-s -w"
    printf '%s"%s":"%s"' "$comma" "$PWD/backend/host/sandbox/embed/$helper" "$work/embed-$to/$helper" >>"$overlay"
    comma=,
  done
  printf '}}' >>"$overlay"
  CGO_ENABLED=1 GOOS=linux GOARCH=$to CC=$cc build "$work/$name/goalctl" ./cmd/goalctl -overlay "$overlay" \
    -tags netgo,osusergo,sqlite_omit_load_extension -ldflags "$ldflags -linkmode external -extldflags -static"
  if readelf -d "$work/$name/goalctl" | grep -q NEEDED; then
    echo "package.sh: goalctl for $to is not static" >&2
    exit 1
  fi
  install_texts "$work/$name"
  cp LICENSE CHANGELOG.md "$work/$name/"
  install_docs "$work/$name"
  rm -f "$work/$name"/share/man/man1/goalpost*.1.gz
  archive "$name"
}

formats="deb rpm"
if [ -n "${ONLY_DEB-}" ]; then
  formats=deb
else
  echo "archive of the window for $arch"
  cp LICENSE "$tree/"
  archive "goalpost-$version-linux-$arch"
  rm "$tree/LICENSE"
  static_archive amd64 x86_64-linux-gnu-gcc
  static_archive arm64 aarch64-linux-gnu-gcc
  echo "bill of materials"
  CYCLONEDX=$CYCLONEDX node build/scripts/sbom.mjs "$version" "$dist/goalpost-$version.cdx.json" \
    "$tree/bin/goalpost" "$tree/bin/goalctl" backend/host/sandbox/embed/goalpost-helper \
    backend/host/sandbox/embed/goalpost-predicate
fi

echo "$formats"
mkdir "$work/debian"
echo "Source: goalpost" >"$work/debian/control"
# The packages of the libraries that the two programs need, by their names in Debian and in rpm.
deb_needs=$(cd "$work" && dpkg-shlibdeps -O "$tree/bin/goalpost" "$tree/bin/goalctl" 2>/dev/null |
  sed -n 's/^shlibs:Depends=//p')
rpm_needs=$(readelf -d "$tree/bin/goalpost" "$tree/bin/goalctl" |
  sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1()(64bit)/p' | sort -u)
glibc=$(objdump -T "$tree/bin/goalpost" "$tree/bin/goalctl" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
for need in libwebkit2gtk-4.1-0 libgtk-3-0 libc6; do
  case $deb_needs in *"$need"*) ;; *)
    echo "package.sh: dpkg-shlibdeps does not name $need: $deb_needs" >&2
    exit 1
    ;;
  esac
done
list() { sed 's/^ *//; s/^/      - "/; s/$/"/'; }
cat >"$work/nfpm.yaml" <<END
name: goalpost
arch: $arch
platform: linux
version: $version
version_schema: semver
release: "1"
section: devel
priority: optional
maintainer: ${MAINTAINER:-Goalpost maintainers <root@localhost>}
description: |
  workspace in which an AI agent pursues a goal until a check passes
  Goalpost is a workspace of terminals and real browsers. In it, an AI agent
  pursues a goal until a check passes that the agent cannot edit. The package
  has the window (goalpost) and the command line (goalctl).
license: MIT
mtime: $(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
changelog: $work/changelog.yaml
scripts:
  postinstall: $from/postinst
  preremove: $from/prerm
contents:
  - src: $tree/bin/
    dst: /usr/bin/
    type: tree
    file_info: {mode: 0755}
  - src: $tree/share/
    dst: /usr/share/
    type: tree
  - src: backend/host/sandbox/embed/goalpost-helper
    dst: /usr/lib/goalpost/goalpost-helper
    file_info: {mode: 0755}
  - src: $from/apparmor/goalpost-helper
    dst: /usr/share/goalpost/apparmor/goalpost-helper
overrides:
  deb:
    depends:
$(tr ',' '\n' <<<"$deb_needs" | list)
    recommends: ["chromium | google-chrome-stable", git] # Ubuntu's chromium-browser installs a snap, which is of no use
    suggests: [openssh-client, tmux, fonts-noto-color-emoji]
  rpm:
    depends:
$(list <<<"$rpm_needs")
      - "libc.so.6($glibc)(64bit)"
    recommends: [chromium, git]
    suggests: [openssh-clients, tmux]
rpm:
  group: Development/Tools
  summary: Workspace in which an AI agent pursues a goal until a check passes
  buildhost: localhost
deb:
  compression: gzip
END
cat >"$work/changelog.yaml" <<END
- semver: $version
  date: $(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)
  packager: ${MAINTAINER:-Goalpost maintainers <root@localhost>}
  deb: {urgency: medium, distributions: [unstable]}
  changes:
    - note: "Version $version. See NEWS.gz beside this file."
END
for format in $formats; do "$NFPM" package --config "$work/nfpm.yaml" --packager "$format" --target "$dist/"; done

rm -rf "$work"
(cd "$dist" && sha256sum -- * >SHA256SUMS)
(cd "$dist" && wc -c -- *)
