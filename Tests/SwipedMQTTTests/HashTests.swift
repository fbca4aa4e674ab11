import Foundation
import TestSupport
import Testing

/// What a membership system has of a card: its hash, and nothing to try numbers against.
@Suite(.serialized, .timeLimit(.minutes(5)), .enabled(if: BridgeUnderTest.isThere, BridgeUnderTest.isMissing))
struct HashTests {
    private static func scene(key: String) async throws -> BridgeUnderTest {
        try await BridgeUnderTest.started(
            "[swipes]\nfields = hash\n",
            daemon: BridgeUnderTest.daemonDefaults + "[cards]\nhash_key = {}/key\n",
            prepare: { try Data(key.utf8).write(to: $0.appending(path: "key")) })
    }

    /// A card is known again, and nothing else of it leaves the machine.
    @Test func aHashAloneMayLeave() async throws {
        let key = String(repeating: "\u{B}", count: 32)
        let scene = try await Self.scene(key: key)
        try await scene.swipe(2)
        try await scene.eventually("two swipes") { scene.swipes.count == 2 }
        let cards = Set(
            scene.swipes.compactMap { $0.text.firstMatch(of: /"card":({[^}]*})/).map { String($0.1) } })
        #expect(cards.count == 1)
        #expect(cards.first?.contains(#""hash":"7bc0e43f-36cea0926ec27b63"#) == true, "\(cards)")
        #expect(cards.first?.contains("masked") == false)
    }

    /// Tries a number that is known against every word of every message: under each key that stands in a message or that anybody
    /// would think of, with each of the usual hashes. Prints what fits, and with which key.
    private static let attack = """
        import hashlib, hmac, itertools, re, sys
        messages, number, keys = open(sys.argv[1], "rb").read(), sys.argv[2].encode(), [k.encode() for k in sys.argv[3:]]
        words = set(re.findall(rb"[0-9A-Za-z_.:-]+", messages))
        found = {w.lower() for word in words for w in [word, *re.split(rb"[-:]", word)] if len(w) >= 8}
        keys += [b"", bytes(32), b"swiped", b"swiped key name", *words]
        keys += [bytes.fromhex(w.decode()) for w in found if re.fullmatch(rb"(?:[0-9a-f]{2})+", w)]
        texts = [number, b"number:" + number, number[:6] + number[-4:], number + b"\\n"]
        for text, name in itertools.product(texts, ["md5", "sha1", "sha256", "sha512"]):
            digests = [(b"no key", hashlib.new(name, text))]
            digests += [(key, d) for key in keys for d in (
                hmac.new(key, text, name), hashlib.new(name, key + text), hashlib.new(name, text + key))]
            for key, digest in digests:
                code = digest.hexdigest().encode()
                if any(code.startswith(word) or word.startswith(code) for word in found):
                    print(name, key.decode(errors="replace"))
        """

    @Test(.enabled(if: getuid() == 0, "Only root may look into the program's memory"))
    func aHashCannotBeTriedWithoutTheKey() async throws {
        let key = "a key of this fleet's, 32 bytes or more"
        let scene = try await Self.scene(key: key)
        try await scene.swipe(1)
        try await scene.eventually("a swipe") { scene.swipes.count == 1 }
        func attack(_ keys: [String]) throws -> String {
            let run = try Programs.run(
                at: "/usr/bin/python3",
                ["-c", Self.attack, scene.path("received"), "4761730000000011"] + keys
            )
            #expect(run.status == 0)
            return run.said
        }
        #expect(try attack([]) == "")
        #expect(try attack([key]) == "sha256 \(key)\n")
        let id = try #require(scene.bridge?.processIdentifier)
        #expect(try !ProcessMemory.contains(key, of: id))
        #expect(!scene.logged.contains(key))
    }
}
