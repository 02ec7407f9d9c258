import Foundation
import Synchronization
import Transport

/// Sends the small requests for credentials to services of the machine, which have link-local addresses, and to STS.
final class MetadataClient: Sendable {
    /// The most bytes of an answer; documents of credentials have about one thousand.
    private static let largest = 256 * 1024

    /// Started with the first request, since most jobs have their credentials in files.
    private let transport = Mutex<Transport?>(nil)

    /// Sends a request, once more after a failure of the connection.
    /// - Throws: ``CredentialError`` if no answer came, or one that is no success.
    func send(_ request: TransferRequest, for purpose: String) async throws(CredentialError) -> Data {
        var last = "no answer"
        for _ in 0..<2 {
            let answer = await self.transfer(request)
            guard let head = answer.head, answer.error == nil else {
                last = answer.error?.message ?? last
                continue
            }
            guard head.isSuccess else {
                let told = S3Error(head, body: answer.body).map { [$0.code, $0.message] } ?? []
                last = ([String(head.status)] + told.filter { !$0.isEmpty }).joined(separator: " ")
                if head.status < 500 { break }
                continue
            }
            return answer.body
        }
        throw CredentialError("\(purpose) gave no credentials: \(last)")
    }

    private func transfer(_ request: TransferRequest) async -> CollectedTransfer {
        let transport = transport.withLock { kept in
            let made = kept ?? Transport()
            kept = made
            return made
        }
        return await transport.collect(request, limit: Self.largest)
    }
}

extension TransferRequest {
    /// Creates a request for credentials, with short limits: the services are near, or not there.
    init(
        forCredentials url: String,
        method: String = "GET",
        headers: [(String, String)] = [],
        body: Data? = nil,
        seconds: Int = 2
    ) {
        self.init(
            url: url,
            host: URL(string: url)?.host?.lowercased() ?? "",
            method: method,
            headers: headers.map { Header($0.0, $0.1) },
            body: body
        )
        connectTimeout = .seconds(seconds)
        idleTimeout = .seconds(seconds)
        totalTimeout = .seconds(2 * seconds)
    }
}

/// The JSON document with which containers and instances answer.
struct CredentialDocument: Decodable {
    let accessKeyId: String
    let secretAccessKey: String
    let token: String?
    let expiration: String?

    enum CodingKeys: String, CodingKey {
        case accessKeyId = "AccessKeyId"
        case secretAccessKey = "SecretAccessKey"
        case token = "Token"
        case expiration = "Expiration"
    }

    /// Reads the credentials of a document.
    /// - Throws: ``CredentialError`` for a document without them.
    static func credentials(in data: Data, of source: String) throws(CredentialError) -> AWSCredentials {
        guard let document = try? JSONDecoder().decode(CredentialDocument.self, from: data) else {
            throw CredentialError("\(source) answered something other than credentials")
        }
        return AWSCredentials(
            accessKey: document.accessKeyId,
            secretKey: document.secretAccessKey,
            sessionToken: document.token,
            expiration: document.expiration.flatMap(Self.date)
        )
    }

    /// Returns the date of a text in the form of RFC 3339, with or without fractions of a second.
    static func date(_ text: String) -> Date? {
        (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
}
