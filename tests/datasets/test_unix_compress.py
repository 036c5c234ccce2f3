import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandemvote.datasets.unix_compress import decompress

few_letters = st.lists(st.sampled_from(b"ab\n"), max_size=3000).map(bytes)


@given(data=few_letters | st.binary(max_size=3000), widest=st.integers(10, 16), clear=st.booleans())
def test_what_compress_packs_is_unpacked_again(unix_compress_writer, data, widest, clear):
    packed = unix_compress_writer(data, widest=widest, clear_when_full=clear)
    assert decompress(packed) == data


@pytest.mark.skipif(shutil.which("gzip") is None, reason="gzip, which reads .Z too, is not here")
@pytest.mark.parametrize("widest", [10, 12, 16])
def test_gzip_reads_the_same_out_of_a_z_file(unix_compress_writer, tmp_path, widest):
    text = "".join(f"{i * i % 977} {i * 7919 % 10007}\n" for i in range(20000)).encode()
    path = tmp_path / "table.Z"
    path.write_bytes(unix_compress_writer(text, widest=widest))
    unpacked = subprocess.run(["gzip", "-dc", path], check=True, capture_output=True).stdout
    assert unpacked == text
    assert decompress(path.read_bytes()) == text


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b\x90", b"\x1f\x9d\x89", b"\x1f\x9d\x90" + b"\xff" * 9]
)
def test_a_damaged_z_file_is_refused(data):
    with pytest.raises(ValueError, match=r"\.Z file"):
        decompress(data)
