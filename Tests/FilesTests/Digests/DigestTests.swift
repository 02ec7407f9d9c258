import Files
import Foundation
import Testing

@Suite struct DigestTests {
    @Test(
        "the published vectors",
        arguments: [
            (Digest.md5, "abc", "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha1, "http://test.com", "50334ee0b51600df6397ce93ceed4728c37fee4e"),
            (
                .sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ]
    )
    func vectors(digest: Digest, text: String, expected: String) {
        #expect(digest.hex(of: text) == expected)
    }

    @Test("a slice is digested by its own bytes")
    func slice() {
        let data = Data("xabcx".utf8)
        #expect(Digest.sha256.hex(of: data[1..<4]) == Digest.sha256.hex(of: "abc"))
    }
}
