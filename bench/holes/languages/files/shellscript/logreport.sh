#!/bin/sh
# Summarises access logs: requests by status, the busiest addresses, and errors.
set -eu

top=10
color=auto

while [ $# -gt 0 ]; do
    case "$1" in
        -n | --top)
            top=$2
            shift 2
            ;;
        --no-color)
            color=never
            shift
            ;;
        --)
            shift
            break
            ;;
        -*)
            echo "unknown option: $1" >&2
            exit 2
            ;;
        *)
            break
            ;;
    esac
done

if [ $# -eq 0 ]; then
    echo "usage: logreport.sh [--top N] FILE..." >&2
    exit 2
fi

for file in "$@"; do
    if [ ! -r "$file" ]; then
        echo "cannot read $file" >&2
        exit 1
    fi
done

heading() {
    if [ "$color" = auto ] && [ -t 1 ]; then
        printf '\033[1m%s\033[0m\n' "$1"
    else
        printf '%s\n' "$1"
    fi
}

heading "Requests by status"
awk '{ count[$9]++ } END { for (status in count) print count[status], status }' "$@" | sort -rn

heading "Busiest addresses"
awk '{ print $1 }' "$@" | sort | uniq -c | sort -rn | head -n "$top"

heading "Errors"
errors=$(awk '$9 >= 500' "$@" | wc -l)
total=$(cat "$@" | wc -l)
if [ "$total" -gt 0 ]; then
    echo "$errors of $total"
else
    echo "no requests"
fi
