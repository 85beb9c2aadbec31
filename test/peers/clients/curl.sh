# curl.sh METHOD URL URL. With -I, curl prints the fields: nobody wants them.
method=$1 url=$2 plain=$3
said='|%{http_code}|%{errormsg}\n'
set --
[ "$method" = HEAD ] && set -- -I -o /dev/null
curl -s -w "$said" "$@" "$url" --next -s -w "$said" "$plain"
