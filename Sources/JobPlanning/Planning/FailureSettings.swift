import Files
import Foundation
import Imaging
import JobManifest
import JobStorage

/// The settings that can make items fail, by the errors that they cause.
///
/// When one changes, the items that it made fail are tried again. The state has only a short digest of each, since a
/// longer one would let a reader of the state verify a guessed password.
extension Manifest {
    var failureSettings: [FailureSetting] {
        let loading = [self.loading] + self.loading.hosts.sorted { $0.key < $1.key }.map(\.value)
        let addresses: [String] = network.allow + network.fileRoots + ["\(network.proxy)"]
        let sizes: [Int] = [limits.maxPixels, limits.maxDimension, limits.memory]
        let credentials: [String] = loading.map(\.credentials) + [Self.userCredentials(usedBy: loading)]
        let decoders: [String] = [Version.current] + ImageEncoder.formats.map(\.rawValue).sorted()
        return [
            setting("network", of: [.address], as: addresses),
            setting("schemes", of: [.scheme], as: network.schemes.sorted()),
            setting("maxBytes", of: [.tooLarge], as: loading.map { String($0.maxBytes) }),
            setting("maxRedirects", of: [.redirects], as: loading.map { String($0.maxRedirects) }),
            setting("limits", of: [.limits], as: sizes.map { String($0) }),
            setting("credentials", of: [.http(401), .http(403), .http(407)], as: credentials),
            setting("decoders", of: [.wrongType], as: decoders),
        ]
    }

    private func setting(_ name: String, of errors: [ErrorCode], as values: [String]) -> FailureSetting {
        let digest = Digest.sha256.hex(of: values.joined(separator: "\n"))
        return FailureSetting(
            name: name,
            errors: Set(errors.map(\.rawValue)),
            value: String(digest.prefix(8))
        )
    }

    /// Returns a text that changes when the user's `.netrc` does, if any host uses it.
    private static func userCredentials(usedBy loading: [LoadingSettings]) -> String {
        guard loading.contains(where: { $0.authorization == .netrc }) else { return "" }
        return ListFingerprint(path: NSHomeDirectory() + "/.netrc")?.description ?? "none"
    }
}

extension LoadingSettings {
    /// Everything that tells a server who asks.
    fileprivate var credentials: String {
        let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let authorization = authorization.map { "\($0)" } ?? "none"
        return ([authorization, userAgent ?? ""] + fields).joined(separator: "\n")
    }
}
