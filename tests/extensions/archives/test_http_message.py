"""How does the archive keep an HTTP message? As it was on the wire, without secrets, and readable for everybody."""

from hypothesis import example, given
from hypothesis import strategies as st

from extensions.archives.records import joined_chunks, request_message, response_message

HEAD = b"HTTP/1.1 200 OK\r\nServer: x\r\n"


def test_a_plain_answer_stays_as_it_came() -> None:
    answer = HEAD + b"content-TYPE:text/html\r\n\r\nbody\r\n\r\nbody"
    message = response_message(answer)
    assert message is not None
    assert (message.block, message.status, message.is_whole) == (answer, 200, True)


def test_chunks_are_joined_and_the_line_that_told_of_them_has_another_name() -> None:
    message = response_message(HEAD + b"Transfer-Encoding: chunked\r\n\r\n4;a=b\r\nbody\r\n1\r\n!\r\n0\r\nT: x\r\n\r\n")
    assert message is not None
    assert message.block == HEAD + b"X-Crawler-Transfer-Encoding: chunked\r\n\r\nbody!"
    assert message.is_whole


def test_chunks_that_break_off_leave_what_came() -> None:
    message = response_message(HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\nA\r\nhalf")
    assert message is not None
    assert (message.body, message.is_whole) == (b"bodyhalf", False)


def test_a_body_shorter_than_its_length_is_not_whole() -> None:
    short = response_message(HEAD + b"Content-Length: 9\r\n\r\nbody")
    none = response_message(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n")
    assert short is not None
    assert none is not None
    assert (short.is_whole, none.is_whole) == (False, True)


def test_an_interim_answer_is_dropped() -> None:
    message = response_message(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + HEAD + b"\r\nbody")
    assert message is not None
    assert message.block == HEAD + b"\r\nbody"


def test_secrets_are_left_out_with_the_lines_that_continue_them() -> None:
    answer = response_message(HEAD + b"Set-Cookie: a=b;\r\n  c=d\r\nSET-cookie : e\r\nAge: 1\r\n\r\n")
    request = request_message(b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Basic eDp5\r\nCookie: a=b\r\n\r\n")
    assert answer is not None
    assert (answer.head, answer.left_out) == (HEAD + b"Age: 1\r\n\r\n", ("set-cookie",))
    assert request.head == b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    assert request.left_out == ("authorization", "cookie")


def test_lines_that_end_with_lf_alone_are_read() -> None:
    message = response_message(b"HTTP/1.0 404 Not Found\nA: b\n\nbody")
    assert message is not None
    assert (message.block, message.status) == (b"HTTP/1.0 404 Not Found\r\nA: b\r\n\r\nbody", 404)


def test_of_a_head_that_is_not_whole_the_whole_lines_stay() -> None:
    message = response_message(HEAD + b"Content-Len")
    assert message is not None
    assert (message.block, message.is_whole) == (HEAD + b"\r\n", False)


def test_what_is_no_http_is_none() -> None:
    assert response_message(b"") is None
    assert response_message(b"SSH-2.0-OpenSSH_9.6\r\n\r\n") is None
    assert response_message(b"HTTP/1.1 20") is None


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5), st.integers(0, 200))
def test_chunks_cut_anywhere_give_the_beginning(pieces: list[bytes], cut: int) -> None:
    packed = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    whole = b"".join(pieces)
    assert joined_chunks(packed) == (whole, True)
    body, is_whole = joined_chunks(packed[:cut])
    assert whole.startswith(body)
    assert is_whole <= (body == whole)


@given(st.binary(max_size=200))
@example(b"Content-Length: 99999999999999999999999999\r\n\r\n")
def test_whatever_comes_a_head_ends_with_one_blank_line(data: bytes) -> None:
    message = response_message(HEAD + data)
    if message is not None:
        assert message.head.endswith(b"\r\n\r\n")
        assert b"\n\r\n" not in message.head[:-3]
