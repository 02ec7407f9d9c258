import Foundation
import Testing

@testable import Nuke

struct DigestChallengeTests {
    private static let challenge =
        "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", "
        + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
        + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\", algorithm="

    @Test(
        "the example of RFC 7616, section 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func answersTheExample(algorithm: String, response: String) throws {
        let challenges = AuthenticationChallenge.challenges(in: Self.challenge + algorithm)
        let digest = try #require(challenges.first.flatMap(DigestChallenge.init))
        let text = try #require(
            digest.authorization(
                user: "Mufasa",
                password: "Circle of Life",
                method: "GET",
                uri: "/dir/index.html",
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
            )
        )
        #expect(text.contains("response=\"\(response)\""))
        #expect(text.contains("qop=auth, nc=00000001"))
        #expect(digest.isStrong == (algorithm == "SHA-256"))
    }

    @Test(
        "what cannot be answered is no challenge",
        arguments: [
            "Basic realm=\"r\"", "Digest realm=\"r\"", "Digest nonce=\"n\"",
            "Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"",
            "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-512-256", "Digest", "",
        ]
    )
    func refusesOthers(field: String) {
        let challenges = AuthenticationChallenge.challenges(in: field)
        #expect(challenges.allSatisfy { DigestChallenge($0) == nil })
    }

    @Test("no name breaks out of the header field")
    func quotesNames() throws {
        let challenges = AuthenticationChallenge.challenges(in: "Digest realm=\"r\", nonce=\"n\"")
        let digest = try #require(challenges.first.flatMap(DigestChallenge.init))
        func text(_ user: String) -> String? {
            digest.authorization(user: user, password: "p", method: "GET", uri: "/")
        }
        #expect(text("a\"b\\")?.contains("username=\"a\\\"b\\\\\",") == true)
        #expect(text("a\r\nX: 1") == nil)
    }

    @Test("challenges are told apart, whether joined or quoted")
    func readsChallenges() {
        let field =
            "Newauth realm=\"apps\", type = 1, title=\"Login, \\\"here, now\\\"\", Basic realm=simple, Negotiate, Bearer abc=="
        let challenges = AuthenticationChallenge.challenges(in: field)
        #expect(challenges.map(\.scheme) == ["newauth", "basic", "negotiate", "bearer"])
        #expect(challenges[0].parameters == ["realm": "apps", "type": "1", "title": "Login, \"here, now\""])
        #expect(challenges[1].parameters == ["realm": "simple"])
        for junk in ["", ",", "=", "a=1", "\"", "Basic realm=\"a", "Basic =", "\\"] {
            #expect(AuthenticationChallenge.challenges(in: junk).count <= 1)
        }
    }
}
