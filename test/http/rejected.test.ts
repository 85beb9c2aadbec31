import { expect } from 'chai';
import { expand } from '../../src/study/bytes';
import { bytes, raw } from '../support/bytes';
import { pick, reject } from '../support/reading';

/** What is around the bytes of a row. */
const LINE = ['', raw`\r\nHost: a\r\n\r\n`];
const CHUNKS = [raw`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`, ''];
const POST = [raw`POST / HTTP/1.1\r\nHost: a\r\n`, raw`\r\n\r\n`];
const GET = [raw`GET / HTTP/1.1\r\nHost: a\r\n`, raw`\r\n\r\n`];
const HOST = [raw`GET / HTTP/1.1\r\nHost:`, raw`\r\n\r\n`];
const FIELDS = [raw`GET / HTTP/1.1\r\n`, raw`\r\n\r\n`];
const START = ['', raw`\r\n`];
const RAW = ['', ''];

/** What is rejected, with which status, on whose authority, by which section: the rows say
 * why, and have a ▲ before the first wrong byte. ‹x × 5› is "xxxxx". */
// prettier-ignore
const TABLE = [
  ['a chunk line with …', 400, 'allowed by', '9112 7.1', CHUNKS, [
    ['no size', raw`▲\r\nx`],
    ['no size before an extension', raw`▲;a\r\nx`],
    ['SP before the size', raw`▲ 1\r\nx`],
    ['a plus', raw`▲+1\r\nx`],
    ['a minus', raw`▲-1\r\nx`],
    ['0x1', raw`0▲x1\r\nx`],
    ['an underscore', raw`1▲_0\r\nx`],
    ['a letter that is not a digit', raw`1▲g\r\nx`],
    ['a letter instead of a digit', raw`▲g\r\nx`],
  ]],
  ['a chunk line with …', 400, 'our choice', '9112 7.1', CHUNKS, [
    ['17 digits', raw`0000000000000000▲1\r\nx`],
    ['2^53', raw`2000000000000▲0\r\nx`],
    ['2^53 after two zeros', raw`002000000000000▲0\r\nx`],
    ['2^57 - 1 after a zero', raw`01fffffffffffff▲f\r\nx`],
    ['16 times F', raw`FFFFFFFFFFFFF▲FFF\r\nx`],
    ['a size that never ends', raw`0000000000000000▲‹0 × 4984›\r\nx`],
  ]],
  ['a chunk line with …', 400, 'our choice', '9112 7.1.1', CHUNKS, [
    ['more than 1,024 bytes', raw`1;‹a × 1022›▲a\r\nx`],
    ['an extension that never ends', raw`1;‹a × 1022›▲‹a × 3978›\r\nx`],
  ]],
  ['a chunk line with …', 400, 'allowed by', '9112 7.1.1', CHUNKS, [
    ['SP before CRLF', raw`1 ▲\r\nx`],
    ['HTAB before CRLF', raw`1\t▲\r\nx`],
    ['a second word', raw`1 ▲2\r\nx`],
    ['an empty extension', raw`1;▲\r\nx`],
    ['two semicolons', raw`1;▲;a\r\nx`],
    ['"=" and no value', raw`1;a=▲\r\nx`],
    ['a value without a name', raw`1;▲=a\r\nx`],
    ['SP after an extension name', raw`1;a ▲\r\nx`],
    ['SP after an extension', raw`1;a=b ▲\r\nx`],
    ['two words in an extension', raw`1;a ▲b\r\nx`],
    ['an open quotation', raw`1;a="b▲\r\nx`],
    ['a backslash at the end of a quotation', raw`1;a="\\▲\r\nx`],
    ['text after a quotation', raw`1;a="b"▲c\r\nx`],
    ['obs-text in a name', raw`1;▲\x80\r\nx`],
  ]],
  ['a chunk line with …', 400, 'allowed by', '9112 7.1', CHUNKS, [
    ['NUL for a size', raw`▲\0`],
    ['NUL after the size', raw`1▲\0`],
    ['a bare LF after the size', raw`1▲\n`],
    ['a bare LF in an extension', raw`1;a▲\n`],
    ['a bare LF in a quotation', raw`1;a="▲\n`],
    ['a bare LF after a backslash', raw`1;a="\\▲\n`],
    ['only a bare LF', raw`▲\n`],
  ]],
  ['a chunk line with …', 400, 'allowed by', '9112 7.1.1', CHUNKS, [
    ['NUL in an extension', raw`1;a▲\0`],
    ['NUL in a quotation', raw`1;a="▲\0`],
    ['DEL in a quotation', raw`1;a="▲\x7f`],
    ['a control character after a backslash', raw`1;a="\\▲\x01`],
  ]],
  ['a chunk line with …', 400, 'allowed by', '9112 2.2', CHUNKS, [
    ['a bare CR after the size', raw`1▲\rx`],
    ['a bare CR in an extension', raw`1;a▲\rx`],
  ]],
  ['chunk data that is followed by …', 400, 'allowed by', '9112 7.1', CHUNKS, [
    ['one byte too many', raw`3\r\nabc▲d\r\n0\r\n\r\n`],
    ['two bytes of anything', raw`3\r\nabc▲XY0\r\n\r\n`],
    ['CRLF one byte too early', raw`3\r\nab\r▲\n0\r\n\r\n`],
    ['a bare LF', raw`3\r\nabc▲\n0\r\n\r\n`],
    ['a bare CR', raw`3\r\nabc\r▲0\r\n\r\n`],
    ['the next chunk', raw`3\r\nabc▲0\r\n\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9112 5.1', CHUNKS, [
    ['SP before the colon', raw`0\r\nA▲ : x\r\n\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9112 7.1.2', CHUNKS, [
    ['white space before the first field line', raw`0\r\n▲ A: x\r\n\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9112 5.2', CHUNKS, [
    ['obs-fold', raw`0\r\nA: x\r\n▲ y\r\n\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9112 5', CHUNKS, [
    ['no colon', raw`0\r\nA▲ x\r\n`],
    ['a request in its place', raw`0\r\nGET▲ / HTTP/1.1\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9110 5.1', CHUNKS, [
    ['an empty name', raw`0\r\n▲: x\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9110 5.5', CHUNKS, [
    ['NUL', raw`0\r\nA: ▲\0\r\n\r\n`],
  ]],
  ['a trailer section with …', 400, 'allowed by', '9112 2.2', CHUNKS, [
    ['a bare LF', raw`0\r\nA: x▲\n`],
    ['a bare LF for the empty line', raw`0\r\n▲\n`],
    ['a bare CR for the empty line', raw`0\r\n▲\rX`],
  ]],
  ['a trailer section with …', 431, 'our choice', '6585 5', CHUNKS, [
    ['101 lines', raw`0‹\r\nA: × 100›\r\n▲A:\r\n\r\n`],
    ['16,385 bytes', raw`0\r\nA: ‹x × 16380›\r▲\n\r\n`],
    ['a field that never ends', raw`0\r\nA: ‹x × 16381›▲‹x × 619›`],
  ]],
  ['more than 1 MiB of content in …', 413, 'our choice', '9110 15.5.14', CHUNKS, [
    ['one chunk, when its chunk line is whole', raw`▲100001\r\n`],
    ['one chunk with an extension', raw`▲100001;a\r\n`],
    ['the largest chunk there is', raw`▲1FFFFFFFFFFFFF\r\n`],
    ['a later chunk', raw`1\r\nx\r\n▲100000\r\n`],
  ]],
  ['more than 1 MiB of content in …', 400, 'allowed by', '9112 7.1', CHUNKS, [
    ['a chunk whose line is malformed, which is judged first', raw`100001▲x\r\n`],
  ]],
  ['more than 1 MiB of content in …', 400, 'allowed by', '9112 7.1.1', CHUNKS, [
    ['a chunk whose extension is malformed, which is judged first', raw`100001;▲\r\n`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 2.2', START, [
    ['white space before the first field line', raw`GET / HTTP/1.1\r\n▲ Host: a`],
    ['HTAB before the first field line', raw`GET / HTTP/1.1\r\n▲\tHost: a`],
    ['only white space in the first field line', raw`GET / HTTP/1.1\r\n▲ `],
  ]],
  ['a header section with …', 400, 'required by', '9112 5.1', START, [
    ['SP before the colon', raw`GET / HTTP/1.1\r\nHost▲ : a`],
  ]],
  ['a header section with …', 400, 'required by', '9112 5.1', GET, [
    ['HTAB before the colon', raw`A▲\t: x`],
    ['SP and HTAB before the colon', raw`A▲ \t : x`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 5.2', GET, [
    ['obs-fold with SP', raw`A: x\r\n▲ y`],
    ['obs-fold with HTAB', raw`A: x\r\n▲\ty`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 5', GET, [
    ['no colon', raw`A▲`],
    ['no colon between two words', raw`Name▲ value`],
    ['a colon only in the second word', raw`Name▲ value:80`],
    ['no colon before white space', raw`Name▲  `],
  ]],
  ['a header section with …', 400, 'allowed by', '9110 5.1', GET, [
    ['an empty name', raw`▲: x`],
    ['a name that starts with a delimiter', raw`▲(A: x`],
    ['a name with a delimiter', raw`A▲[]: x`],
    ['a name with obs-text', raw`A▲\xe9: x`],
    ['a name with NUL', raw`A▲\0: x`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 2.2', GET, [
    ['a bare LF at the end of a field line', raw`A: x▲\nB: y`],
    ['a bare LF in a name', raw`A▲\nB: y`],
    ['a bare LF after the colon', raw`A:▲\nB: y`],
    ['a bare CR in a name', raw`A▲\rB: y`],
    ['a bare CR in a value', raw`A: x▲\ry`],
    ['a bare CR at the end of a value', raw`A: x▲\r\r\n`],
    ['a bare CR for the empty line', raw`▲\rA: x`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 2.2', RAW, [
    ['a bare LF for the empty line', raw`GET / HTTP/1.1\r\nHost: a\r\n▲\n`],
  ]],
  ['a header section with …', 400, 'allowed by', '9110 5.5', GET, [
    ['NUL in a value', raw`A: x▲\0y`],
    ['DEL in a value', raw`A: ▲\x7f`],
    ['VT before a value', raw`A:▲\vx`],
    ['BEL in a value', raw`A: ▲\x07`],
    ['US in a value', raw`A: ▲\x1f`],
  ]],
  ['a header section with …', 431, 'our choice', '6585 5', START, [
    ['16,385 bytes', raw`GET / HTTP/1.1\r\nHost: a\r\nA: ‹x × 16371›\r▲\n`],
  ]],
  ['a header section with …', 431, 'our choice', '6585 5', GET, [
    ['16,386 bytes', raw`A: ‹x × 16372›▲`],
    ['one line beyond 16,384 bytes', raw`A: ‹x × 16370›\r\n▲B: x`],
    ['a wrong byte beyond 16,384 bytes', raw`A: ‹x × 16372›▲\0`],
    ['a bare CR beyond 16,384 bytes', raw`A: ‹x × 16372›▲\rx`],
  ]],
  ['a header section with …', 431, 'our choice', '6585 5', RAW, [
    ['a value that never ends', raw`GET / HTTP/1.1\r\nA: ‹x × 16381›▲‹x × 13619›`],
    ['a name that never ends', raw`GET / HTTP/1.1\r\n‹x × 16384›▲‹x × 13616›`],
    ['a CR beyond 16,384 bytes', raw`GET / HTTP/1.1\r\nHost: a\r\nA: ‹x × 16372›▲\r`],
  ]],
  ['a header section with …', 431, 'our choice', '6585 5', GET, [
    ['101 field lines',
      raw`‹A:\r\n × 99›▲A99:`],
    ['10,000 field lines',
      raw`‹A:\r\n × 99›▲‹A:\r\n × 9900›A9999:`],
  ]],
  ['a header section with …', 400, 'allowed by', '9112 2.2', RAW, [
    ['100 field lines, then a bare LF for the empty line',
      raw`GET / HTTP/1.1\r\nHost: a\r\n‹A:\r\n × 99›▲\n`],
  ]],
  ['… as Content-Length', 400, 'required by', '9112 6.3', POST, [
    ['nothing', raw`Content-Length:▲`],
    ['a plus', raw`Content-Length: ▲+5`],
    ['a minus', raw`Content-Length: ▲-5`],
    ['hexadecimal', raw`Content-Length: 0▲x5`],
    ['an exponent', raw`Content-Length: 1▲e3`],
    ['a fraction', raw`Content-Length: 5▲.0`],
    ['an underscore', raw`Content-Length: 1▲_0`],
    ['white space inside', raw`Content-Length: 1▲ 0`],
    ['NBSP', raw`Content-Length: 5▲\xa0`],
    ['superscript two', raw`Content-Length: ▲\xb2`],
    ['a zero first and a letter last', raw`Content-Length: 05▲x`],
    ['a list of different numbers', raw`Content-Length: 5▲, 6`],
    ['an empty list', raw`Content-Length: ▲,`],
    ['two numbers that are equal only as floating-point numbers',
      raw`Content-Length: 9007199254740992▲, 9007199254740993`],
    ['two different numbers in two lines', raw`Content-Length: 5\r\nContent-Length: ▲6`],
    ['a wrong number after a right one', raw`Content-Length: 5\r\nContent-Length: ▲x`],
    ['a wrong number before a right one', raw`Content-Length: ▲x\r\nContent-Length: 5`],
  ]],
  ['a Content-Length that is a list of equal numbers …', 400, 'allowed by', '9110 8.6', POST, [
    ['in one line', raw`Content-Length: 5▲, 5`],
    ['in two lines', raw`Content-Length: 5\r\nContent-Length: ▲5`],
    ['with another field between', raw`Content-Length: 5\r\nA: x\r\nContent-Length: ▲5`],
    ['with an empty element after it', raw`Content-Length: 5▲,`],
    ['with an empty element before it', raw`Content-Length: ▲,5`],
    ['with a leading zero in one of them', raw`Content-Length: 05▲, 5`],
  ]],
  ['a Content-Length with …', 400, 'our choice', '9110 8.6', POST, [
    ['a zero before another digit', raw`Content-Length: ▲05`],
    ['two zeros', raw`Content-Length: ▲00`],
    ['16 zeros', raw`Content-Length: ▲0000000000000000`],
    ['16 digits', raw`Content-Length: 100000000000000▲0`],
    ['10,000 digits', raw`Content-Length: 999999999999999▲‹9 × 9985›`],
  ]],
  ['Transfer-Encoding together with Content-Length, …', 400, 'allowed by', '9112 6.1', POST, [
    ['after it', raw`Transfer-Encoding: chunked\r\nContent-Length: ▲5`],
    ['before it', raw`Content-Length: 5\r\nTransfer-Encoding: ▲chunked`],
    ['before another coding', raw`Content-Length: x\r\nTransfer-Encoding: ▲gzip`],
  ]],
  ['Transfer-Encoding in HTTP/1.0, …', 400, 'allowed by', '9112 6.1', START, [
    ['chunked', raw`POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: ▲chunked\r\n`],
    ['gzip', raw`POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: ▲gzip, chunked\r\n`],
    ['empty', raw`POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding:▲\r\n`],
    ['after Content-Length',
      raw`POST / HTTP/1.0\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: ▲chunked\r\n`],
    ['before Content-Length',
      raw`POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: ▲chunked\r\nContent-Length: 5\r\n`],
  ]],
  ['a Transfer-Encoding with …', 400, 'required by', '9112 6.3', POST, [
    ['no coding', raw`Transfer-Encoding:▲`],
    ['only commas', raw`Transfer-Encoding: ▲, ,`],
    ['identity', raw`Transfer-Encoding: ▲identity`],
    ['gzip', raw`Transfer-Encoding: ▲gzip`],
    ['gzip with a parameter', raw`Transfer-Encoding: ▲gzip;a=b`],
    ['a comma inside an open quotation', raw`Transfer-Encoding: ▲gzip;a="b, chunked`],
    ['an open quotation in two lines',
      raw`Transfer-Encoding: ▲gzip;a="b\r\nTransfer-Encoding: chunked`],
    ['chunked before another coding', raw`Transfer-Encoding: chunked, ▲gzip`],
    ['a longer name', raw`Transfer-Encoding: ▲xchunked`],
  ]],
  ['the chunked coding …', 400, 'allowed by', '9112 6.1', POST, [
    ['twice', raw`Transfer-Encoding: chunked, ▲chunked`],
    ['twice, in two lines', raw`Transfer-Encoding: chunked\r\nTransfer-Encoding: ▲chunked`],
    ['twice, with another coding between', raw`Transfer-Encoding: chunked, gzip, ▲chunked`],
  ]],
  ['the chunked coding …', 400, 'allowed by', '9112 7.1', POST, [
    ['with a parameter', raw`Transfer-Encoding: chunked▲;a=b`],
    ['with a parameter after white space', raw`Transfer-Encoding: chunked▲ ; a=b`],
    ['with a parameter that holds a comma', raw`Transfer-Encoding: chunked▲;a="b, c"`],
    ['twice, the first time with a parameter', raw`Transfer-Encoding: chunked▲;a=b, chunked`],
  ]],
  ['… as a transfer coding', 400, 'allowed by', '9110 10.1.4', POST, [
    ['a quoted string', raw`Transfer-Encoding: ▲"chunked"`],
    ['two words', raw`Transfer-Encoding: chunked▲ chunked`],
    ['two words before chunked', raw`Transfer-Encoding: gzip▲ a, chunked`],
    ['only a parameter', raw`Transfer-Encoding: ▲;a=b, chunked`],
    ['NBSP', raw`Transfer-Encoding: ▲\xa0chunked`],
  ]],
  ['another coding before chunked, …', 501, 'allowed by', '9112 6.1', POST, [
    ['gzip', raw`Transfer-Encoding: ▲gzip, chunked`],
    ['identity', raw`Transfer-Encoding: ▲identity, chunked`],
    ['two others', raw`Transfer-Encoding: ▲gzip, deflate, chunked`],
    ['in two lines', raw`Transfer-Encoding: ▲gzip\r\nTransfer-Encoding: chunked`],
    ['with a parameter', raw`Transfer-Encoding: ▲gzip;q=1, chunked`],
    ['with malformed parameters, which are not examined',
      raw`Transfer-Encoding: ▲gzip ; a = ; b ;, chunked`],
    ['with a comma in a parameter', raw`Transfer-Encoding: ▲gzip;a="b, chunked", chunked`],
    ['with a parameter in two lines',
      raw`Transfer-Encoding: ▲gzip;a="b\r\nTransfer-Encoding: c", chunked`],
    ['with an escaped quote in a parameter',
      raw`Transfer-Encoding: ▲gzip;a="\\", chunked", chunked`],
  ]],
  ['judges …', 400, 'required by', '9112 3.2', START, [
    ['Host before framing', raw`POST / HTTP/1.1\r\nContent-Length: x\r\n▲`],
  ]],
  ['judges …', 400, 'required by', '9112 6.3', POST, [
    ['framing before Expect', raw`Expect: x\r\nContent-Length: ▲x`],
  ]],
  ['judges …', 417, 'allowed by', '9110 10.1.1', RAW, [
    ['Expect before content',
      raw`POST / HTTP/1.1\r\nHost: a\r\nExpect: ▲x\r\nTransfer-Encoding: chunked\r\n\r\nz`],
  ]],
  ['judges …', 400, 'allowed by', '9110 5.5', POST, [
    ['a field value before framing', raw`Transfer-Encoding: ▲\vchunked`],
  ]],
  ['…', 400, 'required by', '9112 3.2', START, [
    ['no Host in HTTP/1.1', raw`GET / HTTP/1.1\r\n▲`],
    ['no Host in HTTP/1.2', raw`GET / HTTP/1.2\r\nA: x\r\n▲`],
    ['no Host, although the target has an authority', raw`GET http://a/ HTTP/1.1\r\n▲`],
    ['two Host lines in HTTP/1.0', raw`GET / HTTP/1.0\r\nHost: a\r\nHost: ▲a\r\n`],
  ]],
  ['…', 400, 'allowed by', '9110 5.1', FIELDS, [
    ['a name that only looks like Host', raw`H▲\xf6st: a`],
  ]],
  ['…', 400, 'required by', '9112 3.2', GET, [
    ['two Host lines', raw`host: ▲b`],
    ['two equal Host lines', raw`Host: ▲a`],
  ]],
  ['…', 400, 'required by', '9112 3.2', HOST, [
    ['a Host with userinfo', raw` u▲@a`],
    ['a Host with a path', raw` a▲/`],
    ['a Host with a query', raw` a▲?`],
    ['a Host with a scheme', raw` http:▲//a`],
    ['a Host with white space', raw` a▲ b`],
    ['a Host with a list with white space', raw` a,▲ b`],
    ['a Host with a port that is not a number', raw` a:8▲x`],
    ['a Host with two ports', raw` a:1▲:2`],
    ['a Host with "%" without digits', raw` a▲%`],
    ['a Host with "%" with one digit', raw` a▲%4`],
    ['a Host with "%" with another letter', raw` a▲%4g`],
    ['a Host with obs-text', raw` ▲\xe4`],
    ['a Host with IPv6 without brackets', raw` :▲:1`],
  ]],
  ['an IP literal with …', 400, 'required by', '9112 3.2', HOST, [
    ['an open bracket, [::1', raw` [::1▲`],
    ['only a bracket, [', raw` [▲`],
    ['empty brackets, []', raw` [▲]`],
    ['a closing bracket, ]', raw` ▲]`],
    ['a name before it, a[::1]', raw` a▲[::1]`],
    ['another letter, [1:2:3:4:5:6:7:g]:80', raw` [1:2:3:4:5:6:7:▲g]:80`],
    ['seven groups, [1:2:3:4:5:6:7]', raw` [1:2:3:4:5:6:7▲]`],
    ['seven groups and a colon, [1:2:3:4:5:6:7:]', raw` [1:2:3:4:5:6:7:▲]`],
    ['nine groups, [1:2:3:4:5:6:7:8:9]', raw` [1:2:3:4:5:6:7:8▲:9]`],
    ['"::" for nothing, [1:2:3:4:5:6:7:8::]', raw` [1:2:3:4:5:6:7:8▲::]`],
    ['"::" twice, [1::2::3]', raw` [1::2:▲:3]`],
    ['":::", [:::]', raw` [::▲:]`],
    ['one colon first, [:1]', raw` [:▲1]`],
    ['five digits, [12345::]', raw` [1234▲5::]`],
    ['an IPv4 address over 255, [::1.2.3.256]', raw` [::1.2.3.25▲6]`],
    ['an IPv4 address with a zero before a digit, [::01.2.3.4]', raw` [::01▲.2.3.4]`],
    ['three parts of an IPv4 address, [::1.2.3]', raw` [::1.2.3▲]`],
    ['an IPv4 address first, [1.2.3.4::]', raw` [1▲.2.3.4::]`],
    ['an IPv4 address after seven groups, [1:2:3:4:5:6:7:1.2.3.4]',
      raw` [1:2:3:4:5:6:7:1▲.2.3.4]`],
    ['a zone, [fe80::1%25eth0]', raw` [fe80::1▲%25eth0]`],
    ['white space, [::1 ]', raw` [::1▲ ]`],
    ['text after the bracket, [::1]x', raw` [::1]▲x`],
    ['a wrong port after it, [::1]:8x', raw` [::1]:8▲x`],
    ['a version without a number, [v]', raw` [v▲]`],
    ['a version that is not a number, [vg.x]', raw` [v▲g.x]`],
    ['a version and nothing, [v1]', raw` [v1▲]`],
    ['a version and no address, [v1.]', raw` [v1.▲]`],
    ['a version and a wrong address, [v1.a@]', raw` [v1.a▲@]`],
    ['a version and an open bracket, [v1.a', raw` [v1.a▲`],
  ]],
  ['a Host that does not name one host: …', 400, 'allowed by', '9112 3.3', HOST, [
    ['origin-form, empty', raw` ▲`],
    ['origin-form, only a port', raw` ▲:80`],
  ]],
  ['a Host that does not name one host: …', 400, 'our choice', '9112 3.2', HOST, [
    ['origin-form, a comma', raw` a▲,b`],
    ['origin-form, a comma first', raw` ▲,a`],
    ['origin-form, a comma at the end', raw` a▲,`],
  ]],
  ['a Host that does not name one host: …', 400, 'allowed by', '9112 3.3', START, [
    ['asterisk-form, empty', raw`OPTIONS * HTTP/1.1\r\nHost: ▲\r\n`],
    ['asterisk-form, only a port', raw`OPTIONS * HTTP/1.1\r\nHost: ▲:80\r\n`],
  ]],
  ['a Host that does not name one host: …', 400, 'our choice', '9112 3.2', START, [
    ['asterisk-form, a comma', raw`OPTIONS * HTTP/1.1\r\nHost: a▲,b\r\n`],
    ['asterisk-form, a comma first', raw`OPTIONS * HTTP/1.1\r\nHost: ▲,a\r\n`],
    ['asterisk-form, a comma at the end', raw`OPTIONS * HTTP/1.1\r\nHost: a▲,\r\n`],
  ]],
  ['a Host that does not name one host: …', 400, 'allowed by', '9112 3.3', START, [
    ['origin-form of HTTP/1.0, empty', raw`GET / HTTP/1.0\r\nHost:▲\r\n`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3', LINE, [
    ['no method', raw`▲ / HTTP/1.1`],
    ['a byte in the method that is not allowed in a token', raw`G▲(T / HTTP/1.1`],
    ['only a method', raw`GET▲`],
    ['a method and SP', raw`GET ▲`],
    ['two SP after the method', raw`GET ▲ / HTTP/1.1`],
    ['two SP after the method, and no version', raw`GET ▲ /`],
    ['SP and HTAB after the method', raw`GET ▲\t/ HTTP/1.1`],
    ['no request-target', raw`GET HTTP/1.1▲`],
    ['two SP after the request-target', raw`GET / ▲ HTTP/1.1`],
    ['HTTP/1.10', raw`GET / HTTP/1.1▲0`],
    ['SP after the version', raw`GET / HTTP/1.1▲ `],
    ['a word after the version', raw`GET / HTTP/1.1▲ x`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3', START, [
    ['HTAB before the method', raw`▲\tGET / HTTP/1.1`],
    ['obs-text in the method', raw`G▲\xc9T / HTTP/1.1`],
    ['HTAB after the method', raw`GET▲\t/ HTTP/1.1`],
    ['HTAB after the request-target', raw`GET /▲\tHTTP/1.1`],
    ['VT after the request-target', raw`GET /▲\vHTTP/1.1`],
    ['FF after the request-target', raw`GET /▲\fHTTP/1.1`],
    ['HTTP/0.9, which has no version', raw`GET /▲`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3', RAW, [
    ['the first byte of TLS', raw`▲\x16\x03\x01\x02\0`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3.2', LINE, [
    ['SP in the request-target', raw`GET /a▲ b HTTP/1.1`],
    ['two SP in the request-target', raw`GET /a▲  b HTTP/1.1`],
    ['HTAB in the request-target', raw`GET /a▲\tb HTTP/1.1`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 2.3', START, [
    ['no version after the second SP', raw`GET / ▲\r\n`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 2.3', LINE, [
    ['HTTP/1', raw`GET / HTTP/1▲`],
    ['HTTP/1.', raw`GET / HTTP/1.▲`],
    ['HTTP/.1', raw`GET / HTTP/▲.1`],
    ['HTTP/01.1', raw`GET / HTTP/0▲1.1`],
    ['http/1.1', raw`GET / ▲http/1.1`],
    ['HTTP/1,1', raw`GET / HTTP/1▲,1`],
  ]],
  ['a request line with …', 505, 'allowed by', '9110 6.2', LINE, [
    ['HTTP/2.0', raw`GET / HTTP/▲2.0`],
    ['HTTP/0.9, written out', raw`GET / HTTP/▲0.9`],
    ['HTTP/9.9', raw`GET / HTTP/▲9.9`],
    ['a wrong version and a wrong target: the version is judged first', raw`GET /" HTTP/▲2.0`],
  ]],
  ['a request line with …', 505, 'allowed by', '9110 6.2', START, [
    ['the preface of HTTP/2', raw`PRI * HTTP/▲2.0\r\n\r\nSM\r\n`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3', LINE, [
    ['a wrong version and SP after it: the shape is judged first', raw`GET / HTTP/2.0▲ `],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3.2', LINE, [
    ['a wrong version and SP in the target: the shape is judged first', raw`GET /a▲ b HTTP/2.0`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 2.2', START, [
    ['a second empty line before it', raw`\r\n▲\r\nGET / HTTP/1.1`],
    ['a bare CR before it', raw`▲\rGET / HTTP/1.1`],
    ['a bare LF before it', raw`▲\nGET / HTTP/1.1`],
    ['a bare LF before it, after an empty line', raw`\r\n▲\nGET / HTTP/1.1`],
    ['a bare LF at its end', raw`GET / HTTP/1.1▲\nHost: a\r\n`],
    ['a bare CR at its end', raw`GET / HTTP/1.1▲\rHost: a\r\n`],
    ['a bare CR in the method', raw`G▲\rT / HTTP/1.1`],
    ['a bare CR in the target', raw`GET /a▲\rb HTTP/1.1`],
    ['two CR at its end', raw`GET / HTTP/1.1▲\r`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 2.2', RAW, [
    ['a bare CR before it, after an empty line', raw`\r\n▲\rG`],
    ['a bare LF after the method', raw`GET▲\n`],
    ['a bare LF after the SP', raw`GET ▲\n`],
    ['a bare LF after the target', raw`GET /▲\n`],
    ['a bare LF in the version', raw`GET / HTTP/▲\n`],
  ]],
  ['a request line with …', 414, 'our choice', '9112 3', LINE, [
    ['8,193 bytes', raw`GET /‹x × 8179› HTTP/1.▲1`],
    ['a version followed by more', raw`GET /‹x × 8178› HTTP/1.1▲x`],
  ]],
  ['a request line with …', 414, 'our choice', '9112 3', RAW, [
    ['a target that never ends', raw`GET /‹x × 8187›▲‹x × 11813›`],
    ['a target that ends with the 8,192nd byte', raw`GET /‹x × 8187›▲ HTTP/1.1`],
    ['percent-encoding at the limit', raw`GET /‹x × 8186›%▲41%41`],
    ['percent-encoding that starts beyond the limit', raw`GET /‹x × 8187›▲%`],
    ['percent-encoding that continues beyond the limit', raw`GET /‹x × 8186›%▲4`],
    ['a "?" beyond the limit', raw`GET /‹x × 8187›▲?`],
    ['HTAB beyond the limit', raw`GET /‹x × 8187›▲\t`],
    ['NUL beyond the limit', raw`GET /‹x × 8187›▲\0`],
    ['a version that continues beyond the limit', raw`GET /‹x × 8185› H▲TTP/1.`],
    ['a wrong version beyond the limit', raw`GET /‹x × 8185› H▲TTP/1.x`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 3', LINE, [
    ['no version, but CRLF at the limit', raw`GET /‹x × 8187›▲`],
  ]],
  ['a request line with …', 400, 'allowed by', '9112 2.2', RAW, [
    ['a bare LF at the limit', raw`GET /‹x × 8187›▲\n`],
    ['a bare CR at the limit', raw`GET /‹x × 8187›▲\rx`],
  ]],
  ['a request line with …', 501, 'allowed by', '9112 3', RAW, [
    ['a method that never ends', raw`‹x × 8192›▲‹x × 11808›`],
    ['a method of 8,193 bytes', raw`‹x × 8192›▲x / HTTP/1.1`],
    ['a method of 8,192 bytes', raw`‹x × 8192›▲ / HTTP/1.1`],
    ['a method of 8,191 bytes', raw`‹x × 8191› ▲/ HTTP/1.1`],
    ['a method of 8,190 bytes', raw`‹M × 8190› /▲ HTTP/1.1`],
    ['a method that is longer than its target', raw`‹x × 4096› /‹x × 4094›▲ HTTP/1.1`],
    ['a long method, and a version at the limit', raw`‹M × 8185› / HTTP▲/1.1`],
  ]],
  ['a request line with …', 414, 'our choice', '9112 3', RAW, [
    ['a method that is shorter than its target', raw`‹x × 4095› /‹x × 4095›▲ HTTP/1.1`],
    ['percent-encoding in an authority at the limit', raw`GET http://‹x × 8180›%▲4141/`],
  ]],
  ['a long line that is no request line before its limit: …', 400, 'allowed by', '9112 3', RAW, [
    ['a wrong byte in the method', raw`G▲(‹x × 9000›`],
    ['SP after the method, twice', raw`GET ▲ ‹x × 9000›`],
    ['HTAB after the target', raw`GET /▲\t‹x × 9000›`],
    ['more after the version', raw`GET / HTTP/1.1▲‹x × 9000›`],
  ]],
  ['a long line that is no request line before its limit: …', 400, 'allowed by', '9112 2.3', RAW, [
    ['a word after the target', raw`GET / ▲‹X × 9000›`],
    ['a path with SP', raw`GET /‹x × 8000› ▲‹x × 9000›`],
    ['SP after the target, twice', raw`GET / ▲ ‹x × 9000›`],
    ['a version that is none', raw`GET / HTTP/1▲‹x × 9000›`],
  ]],
  ['a long line that is no request line before its limit: …', 400, 'allowed by', '3986 3.3', RAW, [
    ['a wrong byte in the path', raw`GET /▲"‹x × 9000›`],
    ['a wrong byte at the limit', raw`GET /‹x × 8186›▲"x`],
  ]],
  ['a long line that is no request line before its limit: …', 400, 'allowed by', '3986 2.1', RAW, [
    ['"%" in an authority', raw`GET http://a▲%zz‹x × 9000›`],
  ]],
  ['a wrong byte that is the last within the limit of …', 400, 'allowed by', '3986 3.3', RAW, [
    ['a request line', raw`GET /‹x × 8186›▲\0`],
  ]],
  ['a wrong byte that is the last within the limit of …', 400, 'allowed by', '9110 5.5', GET, [
    ['a header section', raw`A: ‹x × 16371›▲\0`],
  ]],
  ['a wrong byte that is the last within the limit of …', 400, 'allowed by', '9112 2.2', GET, [
    ['a header section: a bare CR', raw`A: ‹x × 16371›▲\rx`],
  ]],
  ['a wrong byte that is the last within the limit of …', 400, 'allowed by', '9112 7.1.1', CHUNKS, [
    ['a chunk line', raw`1;‹a × 1021›▲\0`],
  ]],
  ['a wrong byte that is the last within the limit of …', 400, 'allowed by', '9110 5.5', CHUNKS, [
    ['a trailer section', raw`0\r\nA: ‹x × 16380›▲\0`],
  ]],
  ['a request-target with …', 400, 'allowed by', '3986 2', LINE, [
    ['a byte before any path', raw`GET ▲"/ HTTP/1.1`],
    ['a byte in an authority', raw`GET http://a▲"/ HTTP/1.1`],
  ]],
  ['a request-target with …', 400, 'allowed by', '3986 3.3', LINE, [
    ['a byte behind an authority', raw`GET http://a/▲" HTTP/1.1`],
  ]],
  ['a request-target with …', 400, 'allowed by', '9112 3.2', LINE, [
    ['"#" after a path', raw`GET /a▲#b HTTP/1.1`],
    ['"#" after a query', raw`GET /?a▲#b HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '3986 3.3', LINE, [
    ['\\ in a path, though not in a query', raw`GET /a|▲\\?\\ HTTP/1.1`],
    ['` in a path, though not in a query', 'GET /a|▲`?` HTTP/1.1'],
    ['{ in a path, though not in a query', raw`GET /a|▲{?{ HTTP/1.1`],
    ['} in a path, though not in a query', raw`GET /a|▲}?} HTTP/1.1`],
    ['another byte after "|"', raw`GET /|▲" HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '3986 2', LINE, [
    ['\\ in an authority', raw`GET http://a▲\\/? HTTP/1.1`],
    ['\\ in the target of CONNECT', raw`CONNECT a▲\\:80 HTTP/1.1`],
    ['\\ where no path has begun', raw`GET a▲\\/ HTTP/1.1`],
    ['^ in an authority', raw`GET http://a▲^/? HTTP/1.1`],
    ['^ in the target of CONNECT', raw`CONNECT a▲^:80 HTTP/1.1`],
    ['^ where no path has begun', raw`GET a▲^/ HTTP/1.1`],
    ['` in an authority', 'GET http://a▲`/? HTTP/1.1'],
    ['` in the target of CONNECT', 'CONNECT a▲`:80 HTTP/1.1'],
    ['` where no path has begun', 'GET a▲`/ HTTP/1.1'],
    ['{ in an authority', raw`GET http://a▲{/? HTTP/1.1`],
    ['{ in the target of CONNECT', raw`CONNECT a▲{:80 HTTP/1.1`],
    ['{ where no path has begun', raw`GET a▲{/ HTTP/1.1`],
    ['| in an authority', raw`GET http://a▲|/? HTTP/1.1`],
    ['| in the target of CONNECT', raw`CONNECT a▲|:80 HTTP/1.1`],
    ['| where no path has begun', raw`GET a▲|/ HTTP/1.1`],
    ['} in an authority', raw`GET http://a▲}/? HTTP/1.1`],
    ['} in the target of CONNECT', raw`CONNECT a▲}:80 HTTP/1.1`],
    ['} where no path has begun', raw`GET a▲}/ HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '9110 4.2.1', LINE, [
    ['"[" in an authority', raw`GET http://a▲[/ HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '9112 3.2.3', LINE, [
    ['"]" in the target of CONNECT', raw`CONNECT a▲]:1 HTTP/1.1`],
    ['a query with "|" in the target of CONNECT', raw`CONNECT a:1▲?| HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '3986 2.1', LINE, [
    ['"%" in an authority', raw`GET http://a▲%/ HTTP/1.1`],
    ['"%4" in an authority', raw`GET http://a▲%4 HTTP/1.1`],
    ['"%4g" in an authority', raw`GET http://▲%4g?q HTTP/1.1`],
    ['"%" in the target of CONNECT', raw`CONNECT a▲%:1 HTTP/1.1`],
    ['"%" where no path has begun', raw`GET ▲%/ HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '3986 3.4', LINE, [
    ['another byte after "%"', raw`GET /?%▲" HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '9112 3.2', LINE, [
    ['"#" after "|"', raw`GET /?|▲#a HTTP/1.1`],
    ['SP after "|"', raw`GET /?a|▲ b HTTP/1.1`],
    ['a path of "|" without a slash', raw`GET ▲a?| HTTP/1.1`],
  ]],
  ['is not lenient and rejects …', 400, 'allowed by', '3986 3.4', RAW, [
    ['NUL after "|"', raw`GET /?a|▲\0`],
  ]],
  ['is not lenient and rejects …', 505, 'allowed by', '9110 6.2', LINE, [
    ['a version that is wrong, after "|"', raw`GET /| HTTP/▲2.0`],
  ]],
  ['a request-target …', 400, 'allowed by', '9112 3.2', LINE, [
    ['without a leading slash', raw`GET ▲tasks HTTP/1.1`],
    ['with only a query', raw`GET ▲?a HTTP/1.1`],
    ['with a host and a port', raw`GET ▲a:443 HTTP/1.1`],
    ['with a host and an empty port', raw`GET ▲a: HTTP/1.1`],
    ['with a scheme that starts with a digit', raw`GET ▲1http://a/ HTTP/1.1`],
  ]],
  ['a request-target …', 421, 'required by', '9110 7.4', LINE, [
    ['with the scheme https', raw`GET ▲https://a/ HTTP/1.1`],
  ]],
  ['a request-target …', 421, 'allowed by', '9110 7.4', LINE, [
    ['with the scheme ftp', raw`GET ▲ftp://a/ HTTP/1.1`],
    ['with a URI without an authority', raw`GET ▲mailto:x@y HTTP/1.1`],
  ]],
  ['a request-target …', 400, 'allowed by', '9110 4.2.1', LINE, [
    ['with http: and nothing', raw`GET http:▲ HTTP/1.1`],
    ['with http: and no slash', raw`GET http:▲x HTTP/1.1`],
    ['with http: and digits, not a port', raw`GET http:▲80 HTTP/1.1`],
    ['with http: and one slash', raw`GET http:/▲ HTTP/1.1`],
    ['with http: and a path', raw`GET http:/▲x HTTP/1.1`],
    ['with a port that is not a number', raw`GET http://a:8▲x/ HTTP/1.1`],
    ['with an open IP literal', raw`GET http://[::1▲/ HTTP/1.1`],
    ['with a zone in the IP literal', raw`GET http://[fe80::1▲%25e]/ HTTP/1.1`],
  ]],
  ['a request-target …', 400, 'required by', '9110 4.2.1', LINE, [
    ['with no host', raw`GET http://▲ HTTP/1.1`],
    ['with no host before a path', raw`GET http://▲/tasks HTTP/1.1`],
    ['with no host before a port', raw`GET http://▲:80/ HTTP/1.1`],
  ]],
  ['a request-target …', 400, 'allowed by', '9110 4.2.4', LINE, [
    ['with userinfo', raw`GET http://u:p▲@a/ HTTP/1.1`],
    ['with empty userinfo', raw`GET http://▲@a/ HTTP/1.1`],
  ]],
  ['an asterisk …', 400, 'allowed by', '9112 3.2.4', LINE, [
    ['for GET', raw`GET ▲* HTTP/1.1`],
    ['for options in lower case', raw`options ▲* HTTP/1.1`],
  ]],
  ['an asterisk …', 400, 'allowed by', '9112 3.2', LINE, [
    ['with two asterisks', raw`OPTIONS ▲** HTTP/1.1`],
    ['with a query', raw`OPTIONS ▲*?a HTTP/1.1`],
  ]],
  ['the target of CONNECT …', 400, 'allowed by', '9112 3.2.3', LINE, [
    ['as a path', raw`CONNECT ▲/ HTTP/1.1`],
    ['in absolute-form', raw`CONNECT http:▲//a:80 HTTP/1.1`],
    ['with userinfo', raw`CONNECT u▲@a:80 HTTP/1.1`],
    ['without a host', raw`CONNECT ▲:80 HTTP/1.1`],
    ['without a host or a port', raw`CONNECT ▲: HTTP/1.1`],
    ['without a host, with port 0', raw`CONNECT ▲:0 HTTP/1.1`],
  ]],
  ['the target of CONNECT …', 400, 'required by', '9110 9.3.6', LINE, [
    ['without a port', raw`CONNECT a▲ HTTP/1.1`],
    ['with an empty port', raw`CONNECT a:▲ HTTP/1.1`],
    ['with port 0', raw`CONNECT a:▲0 HTTP/1.1`],
    ['with port 65536', raw`CONNECT a:▲65536 HTTP/1.1`],
    ['with a port of 400 digits', raw`CONNECT a:▲‹9 × 400› HTTP/1.1`],
    ['as an IPv6 address without a port', raw`CONNECT [::1]▲ HTTP/1.1`],
    ['as an asterisk', raw`CONNECT *▲ HTTP/1.1`],
  ]],
] as const;

/** The statuses of limits that no RFC speaks of. */
const LIMITS: readonly number[] = [408, 413, 431, 503];

for (const [what, status, authority, section, [before = '', after = ''], rows] of TABLE) {
  describe(`rejected with ${status} (${authority} ${section}):`, () => {
    for (const [why, marked] of rows) {
      it(
        what.replace('…', () => why),
        () => {
          const [head = '', rest = ''] = expand(`${before}${marked}${after}`).split('▲');
          const offset = bytes(head).length;
          const error = reject(head + rest);
          expect(pick(error), error.message).to.deep.equal({
            status,
            authority,
            section,
            offset,
          });
          const { reason, hint } = error;
          const source = `RFC ${section.replace(' ', ' section ')}`;
          const of = LIMITS.includes(status) ? 'defines the status' : 'would allow it';
          const isOurs = authority === 'our choice';
          const ruling = isOurs
            ? `${authority}: ${source} ${of}`
            : `${authority} ${source}`;
          expect(error.message).to.equal(
            `${reason} (${ruling}), at byte ${offset}${hint === '' ? '' : `; ${hint}`}`,
          );
        },
      );
    }
  });
}
