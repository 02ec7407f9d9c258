import Foundation
import LoopbackServer
import Testing
import Transport

/// AWS Signature Version 4 with a fixed time and host.
///
/// The expected signatures follow from the algorithm's definition, computed with Python's hmac and hashlib.
@Suite(.timeLimit(.minutes(10))) struct SigningTests {
    @Test("a request is signed for its region and service")
    func signature() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        var request = TransferRequest(server, "/examplebucket/photo.jpg")
        request.headers = [
            .init("Host", "example.amazonaws.com"), .init("X-Amz-Date", "20150830T123600Z"),
        ]
        request.authentication = .awsSigV4(
            AWSCredentials(
                region: "us-east-1",
                service: "service",
                accessKey: "AKIDEXAMPLE",
                secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
            )
        )
        #expect(await Transport().run(request).error == nil)
        let header = server.requests.first?.headers["authorization"] ?? ""
        let fields = header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            fields == [
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request",
                "SignedHeaders=host;x-amz-date",
                "Signature=4b880e282789dc6d19fc36a118adebca5d1d2ab5684c733f17594a18a481bd25",
            ]
        )
    }
}
