import Foundation
import LoopbackServer
import Testing

@Suite(.timeLimit(.minutes(10))) struct LoopbackMetadataServiceTests {
    private static let roles = "/latest/meta-data/iam/security-credentials/"

    private let service: LoopbackMetadataService

    init() throws {
        service = try LoopbackMetadataService(
            credential: .init(
                accessKeyID: "ASIAONE",
                secretAccessKey: "se/cret",
                sessionToken: "to/ken=",
                expiration: Date(timeIntervalSince1970: 2_000_000_000)
            ),
            containerToken: "container token",
            webIdentityToken: "web+token"
        )
    }

    private func send(
        _ method: String,
        _ target: String,
        _ fields: [String: String] = [:],
        body: String = ""
    ) throws -> RawConnection.Answer {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        return try RawConnection(port: service.server.port).send(Data("\(head)\r\n\(body)".utf8))
    }

    private func json(_ answer: RawConnection.Answer) throws -> [String: String] {
        try JSONDecoder().decode([String: String].self, from: answer.body)
    }

    @Test func issuesTheRoleOfAnInstanceInASession() throws {
        #expect(try send("GET", Self.roles).status == 401)
        #expect(try send("GET", Self.roles, ["X-aws-ec2-metadata-token": "other"]).status == 401)
        let seconds = "X-aws-ec2-metadata-token-ttl-seconds"
        #expect(try send("PUT", "/latest/api/token").status == 400)
        #expect(try send("PUT", "/latest/api/token", [seconds: "21601"]).status == 400)
        #expect(try send("PUT", "/latest/api/token", [seconds: "60", "X-Forwarded-For": "a"]).status == 403)
        let session = ["X-aws-ec2-metadata-token": try send("PUT", "/latest/api/token", [seconds: "60"]).text]
        let role = try send("GET", Self.roles, session).text
        #expect(role == "photos-role")
        let fields = try json(send("GET", Self.roles + role, session))
        #expect(fields["Code"] == "Success")
        #expect(fields["AccessKeyId"] == "ASIAONE")
        #expect(fields["SecretAccessKey"] == "se/cret")
        #expect(fields["Token"] == "to/ken=")
        #expect(fields["Expiration"] == "2033-05-18T03:33:20Z")
        #expect(try send("GET", Self.roles + "other", session).status == 404)
        service.endSessions()
        #expect(try send("GET", Self.roles, session).status == 401)
    }

    @Test func issuesToAContainerWithItsToken() throws {
        #expect(service.containerURL.hasPrefix(service.server.address + "/"))
        #expect(try send("GET", "/container/credentials").status == 401)
        let token = ["Authorization": "container token"]
        #expect(try json(send("GET", "/container/credentials", token))["AccessKeyId"] == "ASIAONE")
        service.credential.accessKeyID = "ASIATWO"
        #expect(try json(send("GET", "/container/credentials", token))["AccessKeyId"] == "ASIATWO")
    }

    @Test(arguments: ["GET", "POST"]) func assumesARoleByWebIdentity(_ method: String) throws {
        let common = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleSessionName=session"
        func ask(_ rest: String) throws -> RawConnection.Answer {
            let form = ["Content-Type": "application/x-www-form-urlencoded"]
            return method == "GET"
                ? try send("GET", "/?\(common)\(rest)") : try send("POST", "/", form, body: common + rest)
        }
        let role = "&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fphotos"
        let answer = try ask("\(role)&WebIdentityToken=web%2Btoken")
        #expect(answer.status == 200)
        #expect(answer.element("AccessKeyId") == "ASIAONE")
        #expect(answer.element("SessionToken") == "to/ken=")
        #expect(answer.element("Expiration") == "2033-05-18T03:33:20Z")
        #expect(try ask("\(role)&WebIdentityToken=web+token").element("Code") == "InvalidIdentityToken")
        #expect(try ask("&WebIdentityToken=web%2Btoken").element("Code") == "ValidationError")
    }

    @Test func failsAsATestAsks() throws {
        service.fault = { $0.path == "/container/credentials" ? .status(500) : nil }
        #expect(try send("GET", "/container/credentials").status == 500)
        #expect(service.requests.map(\.path) == ["/container/credentials"])
    }

    @Test func answersNothingElse() throws {
        #expect(try send("GET", "/other").status == 404)
        #expect(
            try send("GET", "/?Action=GetCallerIdentity&Version=2011-06-15").element("Code")
                == "InvalidAction"
        )
    }
}
