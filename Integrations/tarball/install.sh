#!/bin/sh
# Installs nuke-batch from this folder.
#
# usage: ./install.sh [PREFIX]        (default: /usr/local; DESTDIR is put before it)
set -eu
umask 022
cd "$(dirname "$0")"
prefix=${DESTDIR:-}${1:-/usr/local}
missing_for() { LC_ALL=C ldd "$@" 2>&1 | sed -n 's/ => not found//p' | tr -d '\t' | sort -u; }
missing=$(missing_for bin/nuke-batch)
if [ -n "$missing" ]; then
  echo "install.sh: these libraries are missing:" $missing >&2
  echo "install.sh: LIBRARIES names the Debian package of each" >&2
  exit 1
fi
for file in libexec/nuke-batch/*.so; do
  missing=$(missing_for "$file")
  [ -z "$missing" ] || echo "install.sh: ${file##*/} needs" $missing "(see LIBRARIES); without it, only that format is missing" >&2
done
for file in $(find bin libexec share -type f); do
  case $file in bin/* | libexec/*) mode=755 ;; *) mode=644 ;; esac
  mkdir -p "$prefix/${file%/*}"
  # Renamed over the old one, which may be running.
  cp "$file" "$prefix/$file.new"
  chmod $mode "$prefix/$file.new"
  mv "$prefix/$file.new" "$prefix/$file"
done
echo "installed in $prefix: $("$prefix/bin/nuke-batch" version | head -1)"
