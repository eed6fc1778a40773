#!/usr/bin/env bash
# Run once, while Gradescope builds the image: finds or installs Python, installs the kit, and tries it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=/dev/null
. "$here/settings.sh" # pythons, packages, bonus

stop() {
  echo "error: $1" >&2
  exit 1
}

usable() { command -v "$1" >/dev/null && "$1" -c 'import ensurepip, venv' 2>/dev/null; }

find_python() {
  for version in $pythons; do
    if usable "python$version"; then
      python=python$version
      return 0
    fi
  done
  return 1
}

python=
if ! find_python; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update || stop "apt-get cannot reach its servers; press \"Update Autograder\" again"
  for version in $pythons; do
    if apt-get install -y --no-install-recommends "python$version" "python$version-venv"; then break; fi
  done
  find_python || stop "there is no Python $pythons here: choose Ubuntu 22.04, which has 3.11"
fi

"$python" -m venv --clear "$here/venv" || stop "$python cannot make a virtual environment"
if ! "$here/venv/bin/python" -m pip install --disable-pip-version-check --only-binary :all: \
  --require-hashes --requirement "$here/requirements.lock" 2>"$here/lock.log"; then
  cat "$here/lock.log" >&2
  ! grep -q "DO NOT MATCH THE HASHES" "$here/lock.log" ||
    stop "a package is not the one that requirements.lock names, see above; make the zip again with a newer kit"
  echo "requirements.lock does not fit here, see above: installing from the ranges that the kit names"
fi
# shellcheck disable=SC2086
"$here/venv/bin/python" -m pip install --disable-pip-version-check "$here"/kit/*.whl $packages ||
  stop "the kit cannot be installed, see above; press \"Update Autograder\" again"

chmod -R go-rwx "$here/course" # the hidden tests: another lock besides the sandbox's own
"$here/venv/bin/autograder" doctor --course "$here/course"
"$here/venv/bin/python" -I -m autograder.cli.gradescope_run --trial --course "$here/course" ||
  stop "this image cannot grade, see the line above; grade the export instead: autograder batch --from gradescope"
