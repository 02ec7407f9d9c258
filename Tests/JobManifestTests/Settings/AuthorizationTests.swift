@testable import JobManifest
import Testing

@Suite struct AuthorizationTests {
    private static let keys = #""region": "r", "service": "s", "accessKey": "a", "secretKey": "k""#

    @Test(
        "each way to log in is read",
        arguments: [
            (#"{"bearer": "x\ty"}"#, .bearer("x\ty")), (#"{"netrc": true}"#, .netrc),
            (#"{"basic": {"user": "u", "password": "p:w"}}"#, .basic(user: "u", password: "p:w")),
            (#"{"basic": {"user": "", "password": ""}}"#, .basic(user: "", password: "")),
            (
                #"{"awsSigV4": {\#(keys), "sessionToken": "t"}}"#,
                .awsSigV4(
                    .init(region: "r", service: "s", accessKey: "a", secretKey: "k", sessionToken: "t")
                )
            ),
        ] as [(String, LoadingSettings.Authorization)]
    )
    func read(json: String, expected: LoadingSettings.Authorization) throws {
        let reading = try NodeReading(json)
        #expect(LoadingSettings.Authorization(reading.node) == expected && reading.errors.isEmpty)
    }

    @Test(
        "what cannot be sent is refused where it stands",
        arguments: [
            ("{}", ": should have one key: "),
            (#"{"bearer": "x", "netrc": true}"#, ": should have one key: "),
            (#"{"bearer": "a\nb"}"#, "bearer: holds a line break or another control character"),
            (#"{"bearer": 5}"#, "bearer: should be a string"),
            (#"{"netrc": false}"#, #"netrc: should be true: write true, or remove "auth""#),
            (#"{"basic": {"user": "a:b", "password": "p"}}"#, "basic.user: holds a colon"),
            ("{\"basic\": {\"user\": \"a:\u{301}b\", \"password\": \"p\"}}", "basic.user: holds a colon"),
            (#"{"basic": {"user": "a"}}"#, #"basic: "password" is missing: add it"#),
            (#"{"basic": {"password": "p"}}"#, #"basic: "user" is missing: add it"#),
            (#"{"basic": {"user": "a\u007f", "password": "p"}}"#, "basic.user: holds a line break or"),
            (
                #"{"awsSigV4": {"region": "", "service": "s", "accessKey": "a", "secretKey": "k"}}"#,
                "awsSigV4.region: is empty or holds a colon"
            ),
            (
                #"{"awsSigV4": {"region": "r", "service": "s:t", "accessKey": "a", "secretKey": "k"}}"#,
                "awsSigV4.service: is empty or holds a colon"
            ),
            (
                #"{"awsSigV4": {"region": "r", "service": "s", "secretKey": "k"}}"#,
                #"awsSigV4: "accessKey" is missing: add it"#
            ),
        ]
    )
    func wrong(json: String, error: String) throws {
        let reading = try NodeReading(json)
        _ = LoadingSettings.Authorization(reading.node)
        #expect(reading.errors.count == 1, "\(reading.errors)")
        #expect(reading.errors.first?.hasPrefix(error) == true, "\(reading.errors)")
    }
}
