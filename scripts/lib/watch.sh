# watch_file ADDRESS: debian/watch of a source package: a release has its sources in one folder, which the web server has to list.
# shellcheck shell=bash
watch_file() {
    cat <<TEXT
version=4
$1/pool/source/ @PACKAGE@@ANY_VERSION@\.orig\.tar\.xz debian
opts=component=checkouts $1/pool/source/ @PACKAGE@@ANY_VERSION@\.orig-checkouts\.tar\.xz same
TEXT
}
