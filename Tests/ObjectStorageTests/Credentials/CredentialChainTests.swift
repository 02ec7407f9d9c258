import Foundation
import LoopbackServer
import ObjectStorage
import TestSupport
import Testing
import Transport

/// The sources of credentials in their order, with services that issue them by AWS's rules.
@Suite(.timeLimit(.minutes(10))) struct CredentialChainTests {
    private let folder: TemporaryFolder
    private let service: LoopbackMetadataService
    private static let issued = AccessKey(
        accessKeyID: "ASIAISSUED",
        secretAccessKey: "issued/secret",
        sessionToken: "issued/token+=",
        expiration: Date(timeIntervalSince1970: 4_000_000_000)
    )

    init() throws {
        folder = try TemporaryFolder()
        service = try LoopbackMetadataService(
            credential: Self.issued,
            containerToken: "container token",
            webIdentityToken: "web.identity.token"
        )
    }

    /// An environment without sources but the instance, which is disabled.
    private var bare: [String: String] { ["HOME": folder.path, "AWS_EC2_METADATA_DISABLED": "true"] }

    private func credentials(_ environment: [String: String]) async throws -> AWSCredentials? {
        let whole = bare.merging(environment) { _, own in own }
        return try await CredentialChain(environment: whole).credentials()
    }

    private func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private static let keys = ["AWS_ACCESS_KEY_ID": "AKENV", "AWS_SECRET_ACCESS_KEY": "SKENV"]

    @Test func findsNothingInABareEnvironment() async throws {
        #expect(try await credentials([:]) == nil)
        #expect(try await credentials(["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""]) == nil)
    }

    @Test("a variable without a value is one that is not set")
    func emptyVariables() async throws {
        let names = [
            "AWS_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_ROLE_ARN", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION",
        ]
        let empty = Dictionary(uniqueKeysWithValues: names.map { ($0, "") })
        #expect(try await credentials(empty) == nil)
        _ = try write(
            "[default]\naws_access_key_id = AKFILE\naws_secret_access_key = SKFILE\n",
            to: ".aws/credentials"
        )
        #expect(try await credentials(empty)?.accessKey == "AKFILE")
    }

    @Test func takesTheEnvironmentFirst() async throws {
        _ = try write(
            "[default]\naws_access_key_id = AKFILE\naws_secret_access_key = SKFILE\n",
            to: ".aws/credentials"
        )
        #expect(try await credentials(Self.keys)?.accessKey == "AKENV")
        #expect(
            try await credentials(Self.keys.merging(["AWS_SESSION_TOKEN": "T"]) { $1 })?.sessionToken == "T"
        )
        #expect(try await credentials([:])?.accessKey == "AKFILE")
    }

    @Test(arguments: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
    func refusesHalfAKey(name: String) async throws {
        await #expect { try await credentials([name: "x"]) } throws: { "\($0)".contains("too") }
    }

    @Test func readsProfilesOfBothFiles() async throws {
        _ = try write(
            """
            # comment
            [default]
            aws_access_key_id=AKDEFAULT
            aws_secret_access_key=SK/with=equal
            [other]
            aws_access_key_id = AKOTHER
            aws_secret_access_key = SKOTHER
            aws_session_token = TOTHER
            [half]
            aws_access_key_id = AKHALF
            """,
            to: ".aws/credentials"
        )
        let config = """
            [default]
            region = eu-west-3
            s3 =
              max_concurrent_requests = 20
            [profile in config]
            aws_access_key_id = AKCONFIG
            aws_secret_access_key = SKCONFIG
            [profile process]
            credential_process = /bin/false
            [profile login]
            sso_session = company
            [sso-session company]
            sso_region = us-east-1
            [profile circle]
            role_arn = arn:aws:iam::1:role/a
            source_profile = circle2
            [profile circle2]
            role_arn = arn:aws:iam::1:role/b
            source_profile = circle
            """
        _ = try write(config, to: ".aws/config")
        let found = try #require(try await credentials([:]))
        #expect(found == AWSCredentials(accessKey: "AKDEFAULT", secretKey: "SK/with=equal"))
        #expect(try await credentials(["AWS_PROFILE": "other"])?.sessionToken == "TOTHER")
        #expect(try await credentials(["AWS_PROFILE": "in config"])?.accessKey == "AKCONFIG")
        for (profile, told) in [
            ("half", "one half"), ("process", "credential_process"), ("login", "sso_session"),
            ("none", "no profile \"none\""),
            ("circle", "circle"),
        ] {
            await #expect { try await credentials(["AWS_PROFILE": profile]) } throws: {
                "\($0)".contains(told)
            }
        }
        let elsewhere = try write("[default]\naws_access_key_id=A\naws_secret_access_key=B", to: "elsewhere")
        #expect(try await credentials(["AWS_SHARED_CREDENTIALS_FILE": elsewhere])?.accessKey == "A")
    }

    @Test func asksTheContainersService() async throws {
        let token = try write("container token\n", to: "token")
        let url = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.containerURL]
        for variable in [
            ["AWS_CONTAINER_AUTHORIZATION_TOKEN": "container token"],
            ["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token],
        ] {
            let found = try #require(try await credentials(url.merging(variable) { $1 }))
            #expect(found.secretKey == "issued/secret" && found.sessionToken == "issued/token+=")
            #expect(found.expiration == Self.issued.expiration)
        }
        await #expect(throws: CredentialError.self) { try await credentials(url) }
    }

    @Test func readsNoAnswerWithoutAnEnd() async throws {
        let server = try LoopbackServer { _ in .init(body: .endless(Data(repeating: 0x20, count: 1 << 14))) }
        let url = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.address]
        await #expect { try await credentials(url) } throws: {
            "\($0)".contains("the answer has more than 262144 bytes")
        }
    }

    @Test(arguments: ["http://example.com/keys", "http://10.0.0.1/", "ftp://127.0.0.1/", "nothing"])
    func sendsNoTokenElsewhere(url: String) async throws {
        await #expect { try await credentials(["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]) } throws: {
            "\($0)".contains("names neither https, this machine")
        }
    }

    @Test func takesARoleByWebIdentity() async throws {
        let file = try write("web.identity.token\n", to: "token")
        let role = [
            "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/photos", "AWS_WEB_IDENTITY_TOKEN_FILE": file,
            "AWS_ENDPOINT_URL_STS": service.tokenServiceEndpoint,
        ]
        let found = try #require(try await credentials(role))
        #expect(found.accessKey == "ASIAISSUED" && found.sessionToken == "issued/token+=")
        #expect(found.expiration == Self.issued.expiration)
        _ = try write(
            """
            [profile role]
            role_arn = arn:aws:iam::123456789012:role/photos
            web_identity_token_file = \(file)
            """,
            to: ".aws/config"
        )
        let byProfile = ["AWS_PROFILE": "role", "AWS_ENDPOINT_URL_STS": service.tokenServiceEndpoint]
        #expect(try await credentials(byProfile)?.accessKey == "ASIAISSUED")
        _ = try write("another token", to: "token")
        await #expect { try await credentials(role) } throws: { error in
            "\(error)".contains("security token service") && !"\(error)".contains("another token")
        }
        var missing = role
        missing["AWS_WEB_IDENTITY_TOKEN_FILE"] = file + ".gone"
        await #expect { try await credentials(missing) } throws: { "\($0)".contains(file + ".gone") }
    }

    @Test func asksTheInstance() async throws {
        let instance = [
            "AWS_EC2_METADATA_DISABLED": "",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.metadataEndpoint + "/",
        ]
        let found = try #require(try await credentials(instance))
        #expect(found.accessKey == "ASIAISSUED" && found.expiration == Self.issued.expiration)
        #expect(service.requests.map(\.method) == ["PUT", "GET", "GET"])
        #expect(
            service.requests.dropFirst().allSatisfy {
                $0.headers["x-aws-ec2-metadata-token"]?.isEmpty == false
            }
        )
    }

    @Test func anInstanceWithoutARoleHasNone() async throws {
        let service = try LoopbackMetadataService(credential: Self.issued, roleName: nil)
        let instance = [
            "AWS_EC2_METADATA_DISABLED": "false",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": service.metadataEndpoint,
        ]
        #expect(try await credentials(instance) == nil)
        let nobody = "http://127.0.0.1:\(ClosedPort().number)"
        #expect(
            try await credentials(instance.merging(["AWS_EC2_METADATA_SERVICE_ENDPOINT": nobody]) { $1 })
                == nil
        )
    }

    @Test func showsNoSecret() async throws {
        let found = try #require(try await credentials(Self.keys))
        var dumped = ""
        dump(found, to: &dumped)
        for text in ["\(found)", String(reflecting: found), dumped] { #expect(!text.contains("SKENV")) }
    }
}
