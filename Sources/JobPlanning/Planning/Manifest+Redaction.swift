import Foundation
package import JobManifest
package import Originals

extension Manifest {
    /// The header fields of requests that hold no secret; others of the manifest may.
    private static let shownHeaders: Set<String> = [
        "accept", "accept-encoding", "accept-language", "if-modified-since", "if-none-match", "if-range",
        "range", "user-agent",
    ]

    /// The redaction for the log of requests: the names of the manifest's variables stand for their values.
    ///
    /// The log hides the secrets of each request by itself.
    package var redaction: NetworkLog.Redaction {
        var redaction = NetworkLog.Redaction()
        redaction.shownRequestHeaders = Self.shownHeaders
        for (name, value) in variables.all { redaction.texts[value] = "${\(name)}" }
        return redaction
    }

    /// The redaction for messages about an item with these `headers`, as stored: it hides all that its requests hold.
    package func redaction(hiding headers: [String: String]) -> NetworkLog.Redaction {
        var redaction = redaction
        let all = ([loading] + loading.hosts.values).map(\.secretHeaders) + [expanded(headers: headers)]
        for (name, value) in all.flatMap(\.self) { redaction.hide(requestHeader: name, value) }
        return redaction
    }
}

extension LoadingSettings {
    /// The header fields of every request, with those of the credentials.
    fileprivate var secretHeaders: [String: String] {
        let credentials: String? =
            switch authorization {
            case .bearer(let token): "Bearer \(token)"
            case .basic(let user, let password):
                "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
            // The requests hold a signature that ends soon, or the values of a file.
            case .awsSigV4, .netrc, nil: nil
            }
        return credentials.map { headers.merging(["Authorization": $0]) { $1 } } ?? headers
    }
}
