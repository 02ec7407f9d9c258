import Files
import Foundation
import Testing

@Suite struct RunningDigestTests {
    @Test("text counts as its UTF-8 bytes, in any pieces")
    func text() {
        let running = RunningDigest()
        running.append("ü")
        running.append(Data())
        running.append("")
        running.append(Data("bc".utf8))
        #expect(running.value == Digest.sha256.bytes(of: Data("übc".utf8)))
    }

    @Test("a restart returns the first 64 bits and begins with no bytes")
    func restart() {
        let running = RunningDigest()
        running.append("abc")
        // FIPS 180-4's example: ba7816bf 8f01cfea …
        #expect(running.restart() == 0xba78_16bf_8f01_cfea)
        #expect(running.value == Digest.sha256.bytes(of: Data()))
        running.append("abc")
        #expect(running.value == Digest.sha256.bytes(of: Data("abc".utf8)))
        #expect(running.restart() == 0xba78_16bf_8f01_cfea)
        #expect(running.restart() == 0xe3b0_c442_98fc_1c14)
    }

    @Test(
        "other digests than SHA-256 come in pieces as well",
        arguments: [Digest.md5, .sha1, .sha256, .sha512]
    )
    func kinds(digest: Digest) {
        let running = RunningDigest(digest)
        #expect(running.value == digest.bytes(of: Data()))
        running.append("ab")
        running.append(Data("c".utf8))
        #expect(running.value == digest.bytes(of: Data("abc".utf8)))
    }

    @Test("digests have their sizes", arguments: [(Digest.sha1, 20), (.sha256, 32), (.sha512, 64)])
    func sizes(digest: Digest, size: Int) {
        #expect(digest.size == size)
        #expect(digest.bytes(of: Data("abc".utf8)).count == size)
        #expect(digest.hex(of: Data("abc".utf8)) == digest.hex(of: "abc"))
        #expect(digest.hex(of: "abc").count == 2 * size)
    }

    @Test("hexadecimal has two lower-case characters a byte")
    func hexadecimal() {
        #expect(Digest.hex([0, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(Digest.hex([UInt8]()).isEmpty)
    }
}
