# What this machine needs before anything can be built: apt packages and a Swift toolchain.
# shellcheck shell=bash

# The toolchain that every change is compiled and tested with, and the oldest that compiles this, which is tried before a release
# (scripts/build-with-oldest). README.md says both.
readonly SWIFT_TESTED=6.3.1 SWIFT_OLDEST=6.2.3
# How long apt may wait for another apt to end.
readonly APT_LOCK_SECONDS=300

# Small groups: one that fails is then named, and the others are not lost with it.
# shellcheck disable=SC2034
readonly BUILD_PACKAGES=(pkg-config libudev-dev libhidapi-dev libasound2-dev libcrypt-dev libxkbcommon-dev libmosquitto-dev
    nettle-dev)
# shellcheck disable=SC2034
readonly TEST_PACKAGES=(umockdev libumockdev-dev alsa-utils python3 socat jq systemd gdb groff-base mosquitto
    mosquitto-clients openssl iproute2)
# shellcheck disable=SC2034
readonly CHECKOUT_PACKAGES=(libsqlite3-dev openssl tmux)
# shellcheck disable=SC2034
readonly CHECKOUT_PDF_PACKAGES=(libhpdf-dev poppler-utils fonts-dejavu-core)
# shellcheck disable=SC2034
readonly BROWSER_PACKAGES=(chromium firefox-esr libnss3-tools curl)
# shellcheck disable=SC2034
readonly DEB_PACKAGES=(dpkg-dev debhelper chrpath lintian fakeroot rsync python3)

# missing_packages NAME...: those of them that are not installed.
missing_packages() {
    local name
    for name in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s\n' "$name"
    done
}

# may_install YES: whether the user lets us: asked only where sudo is needed and somebody can answer.
may_install() {
    local answer
    if [ "$(id -u)" -eq 0 ] || [ "$1" = yes ] || [ ! -t 0 ]; then return 0; fi
    printf 'Install them with sudo? [Y/n] ' >&2
    read -r answer || return 1
    case $answer in '' | [Yy]*) return 0 ;; *) return 1 ;; esac
}

# as_root COMMAND...
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        # Without a terminal nobody could type a password: fail at once instead of waiting for one.
        if [ -t 0 ]; then sudo "$@"; else sudo -n "$@"; fi
    else
        say "This needs root and there is no sudo. As root: $*"
        return 1
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o "DPkg::Lock::Timeout=$APT_LOCK_SECONDS" "$@"
}

# debian_mirror: where this machine's apt gets Debian from.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1
}

# apt_apart STATE ARCHITECTURE ARGUMENT...: apt-get with a state of its own, whose sources are in STATE/list; nothing of the system's is
# read or written.
apt_apart() {
    local state=$1 architecture=$2
    shift 2
    mkdir -p "$state"/{lists,archives}/partial
    apt-get -o "Dir::State=$state" -o "Dir::Cache=$state" -o "Dir::Etc::sourcelist=$state/list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o "APT::Architecture=$architecture" \
        -o "APT::Architectures=$architecture" -o Acquire::http::Proxy::127.0.0.1=DIRECT "$@"
}

# install_packages YES NAME...: installs what is missing, having said what it is.
install_packages() {
    local yes=$1 missing
    shift
    if ! command -v dpkg-query >/dev/null; then
        say "This is not a Debian: see to these packages, or what they are called here, yourself: $*"
        return 0
    fi
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    say "To install from apt: ${missing[*]}"
    may_install "$yes" || die "not installed. Do it yourself: apt-get install ${missing[*]}"
    if [ -z "${apt_updated:-}" ]; then
        apt_get update >&2 || say "apt-get update failed; trying with the lists that are there"
        apt_updated=yes
    fi
    apt_get install --yes --no-install-recommends "${missing[@]}" >&2 || die "apt-get could not install: ${missing[*]}"
}

# is_at_least VERSION OTHER: whether OTHER is VERSION or comes after it.
is_at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

# require_swift: a toolchain that is new enough, or clear words.
require_swift() {
    local version from=https://www.swift.org/install/linux/debian/12/
    if ! command -v swift >/dev/null && [ -x "$HOME/.local/share/swiftly/bin/swift" ]; then
        PATH=$HOME/.local/share/swiftly/bin:$PATH
    fi
    command -v swift >/dev/null || die "no Swift toolchain: install Swift $SWIFT_TESTED or newer ($from) and have 'swift' in PATH"
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)+).*/\1/p' | head -n 1)
    [ -n "$version" ] || die "'swift --version' does not say a version: is the toolchain whole?"
    is_at_least "$SWIFT_OLDEST" "$version" || die "Swift $version is too old: install $SWIFT_TESTED or newer ($from)"
    is_at_least "$SWIFT_TESTED" "$version" ||
        say "Swift $version: changes are tested with $SWIFT_TESTED; $SWIFT_OLDEST compiles this, as of the last release"
}

# compile ARGUMENT...: 'swift build' without an index of symbols, which takes a fifth of the compiler's time (docs/performance.md);
# editors make one of their own. With other options than the build before, everything is compiled anew.
compile() { swift build --disable-index-store "$@"; }
