#!/bin/bash
# check_source.sh TREE FOLDER: ends with 1, and says why, unless the unpacked source package in FOLDER has the files of git's TREE, which this
# clone knows, but for what scripts/source-package writes into debian/ for an address, and in checkouts/ the other packages as
# debian/pinned-versions of it names them.
set -euo pipefail
. "$(dirname "$0")/watch.sh"

readonly built=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=$(realpath "$(git rev-parse --git-path objects)")
status=0
fault() { echo "$*"; status=1; }

# apart COMMAND...: git, of a folder that is no clone, without anybody's settings; what it makes is not written into this clone.
apart() {
    GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_DIR=$work/git GIT_OBJECT_DIRECTORY=$work/git/objects \
        GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects git "$@"
}

# tree_of FOLDER: git's hash of its files.
tree_of() {
    rm -f "$work/git/index"
    apart --work-tree="$1" add --all --force && apart write-tree
}

# pins: the other packages, NAME TREE each.
pins() { awk '!/^#/ {print $1, $3}' "$folder/debian/pinned-versions"; }

# is_watch FILE: as scripts/source-package writes it.
is_watch() {
    local address
    [ -f "$1" ] && [ ! -L "$1" ] || return 1
    address=$(sed -nE '2s,^(https?://[^ ]*)/pool/source/ .*,\1,p' "$1")
    [ -n "$address" ] && watch_file "$address" | cmp -s - "$1"
}

# is_overrides FILE: without the line that a source package without that file needs.
is_overrides() {
    [ -f "$1" ] && [ ! -L "$1" ] &&
        apart show "$built:debian/source/lintian-overrides" | sed '/^debian-watch-file-is-missing$/d' | cmp -s - "$1"
}

git init --quiet --bare "$work/git"
git cat-file -e "$built^{tree}" 2>/dev/null || { fault "this clone does not have what the packages were built from: git tree $built"; exit 1; }
# git passes over folders of this name, whatever is in them.
inner=$(find "$folder" -name .git -print -quit)
[ -z "$inner" ] || fault "the source package has a folder of git's: $inner"
while read -r name tree; do
    [ ! -L "$folder/checkouts" ] && [ ! -L "$folder/checkouts/$name" ] && [ -d "$folder/checkouts/$name" ] &&
        [ "$(tree_of "$folder/checkouts/$name")" = "$tree" ] && continue
    fault "checkouts/$name of the source package is not what debian/pinned-versions names"
done < <(pins)
while read -r name; do fault "$name of the source package is not pinned"; done < <(
    LC_ALL=C comm -13 <(pins | cut -d ' ' -f 1 | LC_ALL=C sort) <(find "$folder/checkouts" -mindepth 1 -maxdepth 1 -printf '%f\n' | LC_ALL=C sort))
rm -rf "$folder/checkouts" "$folder/.pc"
tree=$(tree_of "$folder")
changed=$(apart diff-tree -r --name-only "$built" "$tree")
while read -r file; do
    case $file in
        '') continue ;;
        debian/watch) ! is_watch "$folder/$file" || continue ;;
        debian/source/lintian-overrides) ! is_overrides "$folder/$file" || continue ;;
    esac
    fault "the source package has another $file than the packages were built from"
done <<<"$changed"
exit "$status"
