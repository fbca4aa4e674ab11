extension ProtocolSchema {
    private typealias Part = SchemaParts

    static var reader: JSONValue {
        Part.object([
            ("id", Part.string), ("kind", Part.string), ("model", Part.string),
            ("serial", Part.orNull(Part.string)), ("firmware?", Part.string),
            ("bus", Part.words(ReaderBus.self)),
            ("port?", Part.string), ("encryption", Part.words(ReaderEncryption.self)),
            ("state", Part.words(ReaderState.self)), ("is_connected", Part.boolean),
            ("is_activated", Part.boolean), ("is_ready_for_swipe", Part.boolean),
            ("attachment", Part.count), ("detail?", Part.string), ("expires_at?", Part.time),
            ("prompt?", Part.named("prompt")), ("claimed_by?", Part.named("claimant")),
            ("simulated?", Part.boolean),
        ])
    }

    static var prompt: JSONValue {
        Part.object([
            ("id", Part.string), ("kind", Part.words(PromptKind.self)), ("text", Part.string),
            ("answers", Part.array(Part.string)), ("expires_at", Part.orNull(Part.time)),
        ])
    }

    static var claimant: JSONValue {
        Part.object([("uid", Part.count), ("pid", ["type": "integer"]), ("connection", Part.count)])
    }

    static var swipe: JSONValue {
        Part.object([
            ("card", Part.orNull(Part.named("card"))), ("tracks", Part.array(Part.named("track"))),
            ("encryption", Part.orNull(Part.named("encryption"))), ("quality", Part.named("quality")),
            ("chip?", Part.boolean),
        ])
    }

    static var card: JSONValue {
        Part.object([
            ("kind", Part.words(CardKind.self)), ("format?", Part.string),
            (
                "pan?",
                Part.object([
                    ("number?", Part.string), ("masked", Part.string), ("length", Part.count),
                    ("luhn?", Part.boolean),
                    ("brand?", Part.string),
                ])
            ),
            ("expiry?", Part.string), ("service_code?", Part.string), ("name?", Part.string),
            ("fields?", Part.map(Part.string)),
        ])
    }

    static var track: JSONValue {
        Part.object([
            ("track", Part.count), ("status", Part.words(TrackStatus.self)), ("format?", Part.string),
            ("masked?", Part.string), ("text?", Part.string), ("at_bit?", Part.count),
            ("repaired_bits?", Part.count),
        ])
    }

    static var encryption: JSONValue {
        Part.object([
            ("scheme", Part.string), ("scheme_assumed?", Part.boolean), ("ksn", Part.hexadecimal),
            ("key_variant?", Part.string), ("key_variant_assumed?", Part.boolean),
            (
                "tracks",
                Part.array(
                    Part.object([
                        ("track", Part.count), ("joined_tracks?", Part.array(Part.count)),
                        ("ciphertext", Part.hexadecimal), ("clear_length?", Part.count),
                        ("hash?", Part.hexadecimal), ("hash_sha1?", Part.hexadecimal),
                        ("joined_hashes?", Part.array(Part.hexadecimal)),
                    ]))
            ),
            (
                "magneprint?",
                Part.object([
                    ("status", Part.count), ("ciphertext", Part.hexadecimal), ("ksn?", Part.hexadecimal),
                ])
            ),
            ("session?", Part.hexadecimal), ("counter?", Part.count),
            ("reader_status?", Part.array(Part.string)),
        ])
    }

    static var quality: JSONValue {
        Part.object([
            ("direction?", Part.words(SwipeDirection.self)), ("speed_cm_s?", Part.number),
            ("snr_db?", Part.number), ("jitter_percent?", Part.number), ("clipped_percent?", Part.number),
            ("repaired_bits", Part.count),
            ("hint", Part.orNull(Part.words(SwipeHint.self))),
        ])
    }
}
