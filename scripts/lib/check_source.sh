#!/bin/bash
# check_source.sh TREE FOLDER: ends with 1, and says why, unless the unpacked source package in FOLDER has the files of git's TREE, which this
# clone knows, but for what scripts/source-package writes into debian/ for an address, and in checkouts/ the other packages as
# debian/pinned-versions of it names them.
set -euo pipefail

readonly built=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects=$(realpath "$(git rev-parse --git-path objects)")

# apart COMMAND...: git, of a folder that is no clone; what it makes is not written into this one.
apart() {
    GIT_DIR=$work/git GIT_OBJECT_DIRECTORY=$work/git/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects git "$@"
}

# tree_of FOLDER: git's hash of its files.
tree_of() {
    rm -f "$work/git/index"
    apart --work-tree="$1" add --all --force && apart write-tree
}

git init --quiet --bare "$work/git"
git cat-file -e "$built^{tree}" 2>/dev/null || { echo "this clone does not have what the packages were built from: git tree $built"; exit 1; }
status=0
while read -r name _ tree; do
    [ -d "$folder/checkouts/$name" ] && [ "$(tree_of "$folder/checkouts/$name")" = "$tree" ] && continue
    echo "checkouts/$name of the source package is not what debian/pinned-versions names"
    status=1
done < <(grep -v '^#' "$folder/debian/pinned-versions")
for name in "$folder"/checkouts/*; do
    grep -q "^${name##*/} " "$folder/debian/pinned-versions" || { echo "${name##*/} of the source package is not pinned"; status=1; }
done
rm -rf "$folder/checkouts" "$folder/.pc"
changed=$(apart diff-tree -r --name-only "$built" "$(tree_of "$folder")")
while read -r file; do
    case $file in
        '' | debian/watch | debian/source/lintian-overrides) ;;
        *) echo "the source package has another $file than the packages were built from"; status=1 ;;
    esac
done <<<"$changed"
exit "$status"
