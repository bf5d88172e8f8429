#!/usr/bin/env bash
# A stand-in for each program of docs/secrets.md that needs an account or another system. It checks its arguments, and prints
# what the program would.
case ${0##*/}$(printf ' <%s>' "$@") in
  'op <read> <op://ci/npm/token>') echo of-1password ;;
  'vault <kv> <get> <-mount=secret> <-format=json> <db>')
    echo '{"request_id":"1","data":{"data":{"user":"app","password":"of \"vault\""},"metadata":{"version":1}}}'
    ;;
  'sops <decrypt> <--extract> <["npm_token"]> <secrets/staging.enc.yaml>') printf %s of-sops ;;
  'aws <secretsmanager> <get-secret-value> <--secret-id> <ci/npm> <--query> <SecretString> <--output> <text>') echo of-aws ;;
  'gcloud <secrets> <versions> <access> <latest> <--secret=npm-token>') printf %s of-google-cloud ;;
  'security <find-generic-password> <-a> <ci> <-s> <npm> <-w>') echo of-the-keychain ;;
  *)
    echo "${0##*/}: unexpected arguments: $*" >&2
    exit 64
    ;;
esac
