# Records its process and sleeps until it is terminated. Argument: its name.
# Without /proc, tests find it hidden.
proc=/proc
[ ! -e /proc/hidden ] || proc=/proc/hidden
read -r stat <"$proc/$$/stat"
echo "$stat" >>processes
echo "$1 ready" >>log
exec sleep 60
