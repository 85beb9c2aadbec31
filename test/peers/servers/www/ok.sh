printf 'Content-Type: text/plain\r\n\r\nok\n'
