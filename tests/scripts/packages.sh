#!/usr/bin/env bash
# The table of packages is one quoted text of five columns: a quote inside would end it.
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../scripts" && pwd)
source "$scripts/lib/common.sh"
source "$scripts/lib/packages.sh"
[ "$(package_fields | wc -l)" -gt 10 ]
package_fields | awk -F'\t' 'NF != 5 || $3 !~ /^((test|coverage)-)?(needed|helpful)$/ { print "not a package: " $0; bad = 1 } END { exit bad }'
