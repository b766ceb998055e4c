#!/usr/bin/env bash
set -euo pipefail

APP_NAME=${APP_NAME:-webshop}
REGISTRY=${REGISTRY:-registry.example.com}
HEALTH_URL=${HEALTH_URL:-http://localhost:8080/health}

red=$'\033[31m'
green=$'\033[32m'
reset=$'\033[0m'

info() { echo "${green}==>${reset} $*"; }
error() { echo "${red}error:${reset} $*" >&2; }

require() {
    for command in "$@"; do
        if ! command -v "$command" >/dev/null 2>&1; then
            error "$command is not installed"
            exit 1
        fi
    done
}

build() {
    local version=$1
    info "building $APP_NAME:$version"
    docker build -t "$REGISTRY/$APP_NAME:$version" .
    docker push "$REGISTRY/$APP_NAME:$version"
}

deploy() {
    local version=$1
    info "deploying $APP_NAME:$version"
    kubectl set image "deployment/$APP_NAME" "app=$REGISTRY/$APP_NAME:$version"
    kubectl rollout status "deployment/$APP_NAME" --timeout=120s
}

wait_until_healthy() {
    local attempt
    for attempt in {1..10}; do
        if curl --fail --silent --output /dev/null "$HEALTH_URL"; then
            info "healthy after $attempt attempts"
            return 0
        fi
        sleep 3
    done
    return 1
}

rollback() {
    error "rolling back"
    kubectl rollout undo "deployment/$APP_NAME"
}

main() {
    local version=${1:-}
    if [[ -z $version ]]; then
        error "usage: $0 VERSION"
        exit 2
    fi
    require docker kubectl curl
    build "$version"
    deploy "$version"
    if ! wait_until_healthy; then
        rollback
        exit 1
    fi
}

main "$@"
