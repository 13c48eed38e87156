#!/bin/sh
# Brings a server into the cluster; runs beside it each time that it starts.
#
# The names of pods stay and their addresses change: a server tells all others where it is now. On
# its first start it also takes its place: the first three get a third of the slots each, the others
# follow them. A server whose disk was lost follows whoever has its third by then.
#
# Invariant: nothing is taken from a server that has it. Running it again changes nothing.
set -u

password=$(cat "$OPERATOR_PASSWORD_FILE")
servers=9 shards=3 name=redis-cluster
own=${POD_NAME##*-}
shard=$((own % shards))
first=$((shard * 16384 / shards)) last=$(((shard + 1) * 16384 / shards - 1))

ask() { # HOST COMMAND...
    host=$1
    shift
    valkey-cli -e -h "$host" -p 6379 --user operator --pass "$password" --no-auth-warning "$@" 2>/dev/null
}

peer() { # NUMBER; its name
    echo "$name-$1.$name"
}

greet() { # tells every other server where this one is; says whether all have heard
    heard=0 number=0
    while [ "$number" -lt "$servers" ]; do
        if [ "$number" != "$own" ] && [ "$(ask "$(peer "$number")" cluster meet "$POD_IP" 6379)" = OK ]; then
            heard=$((heard + 1))
        fi
        number=$((number + 1))
    done
    [ "$heard" = $((servers - 1)) ]
}

# The lines of `cluster nodes`: id address flags primary ... link-state slots.
owner_of() { # SLOT; the id of the primary that has it, as this server knows
    ask localhost cluster nodes | while read -r id _ flags _ _ _ _ _ slots; do
        for range in $slots; do
            case $range in
            \[*) continue ;;
            esac
            if [ "${range%-*}" -le "$1" ] && [ "$1" -le "${range#*-}" ]; then
                case $flags in
                *fail*) ;;
                *) echo "$id" ;;
                esac
            fi
        done
    done
}

has_a_place() { # whether this server has slots or follows somebody
    ask localhost cluster nodes | while read -r _ _ flags primary _ _ _ _ slots; do
        case $flags in
        *myself*)
            if [ "$primary" != - ] || [ -n "$slots" ]; then echo yes; fi
            ;;
        esac
    done | grep -q yes
}

until [ "$(ask localhost ping)" = PONG ]; do sleep 1; done
until greet; do sleep 1; done
until has_a_place; do
    owner=$(owner_of "$first")
    if [ -n "$owner" ]; then
        ask localhost cluster replicate "$owner"
    elif [ "$own" -lt "$shards" ]; then
        ask localhost cluster addslotsrange "$first" "$last"
    fi
    sleep 1
done
