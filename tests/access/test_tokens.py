from steelyard.access.tokens import digest, looks_like_key, new_key, new_token, shown


def test_keys_are_long_random_and_kept_as_digests() -> None:
    keys = {new_key() for _ in range(100)}
    assert len(keys) == 100
    for key in keys:
        assert looks_like_key(key)
        assert len(digest(key)) == 64
        assert key not in digest(key)
        assert len(shown(key)) == 10
        assert key.startswith(shown(key)[:-1])


def test_other_texts_are_no_keys() -> None:
    key = new_key()
    for text in (
        "",
        "sy_",
        new_token(),
        key[:-1],
        key + "a",
        f" {key}",
        key + "\n",
        key.replace("sy_", "sk_"),
    ):
        assert not looks_like_key(text), text
