# wget.sh METHOD URL URL. It gets no second response over a connection.
wget -q -t 1 --method="$1" -O - "$2"
code=$?
[ $code = 0 ] && echo '|200|' || echo "||exit $code"
