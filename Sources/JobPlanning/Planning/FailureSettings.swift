import Files
import Foundation
import Imaging
import JobManifest
import JobStorage

/// The settings that can make items fail, by the errors that they cause.
///
/// When one changes, the items that it made fail are tried again. The state has only a digest of each.
extension Manifest {
    var failureSettings: [FailureSetting] {
        let loading = [self.loading] + self.loading.hosts.sorted { $0.key < $1.key }.map(\.value)
        let addresses: [String] = network.allow + network.fileRoots + ["\(network.proxy)"]
        let sizes: [Int] = [limits.maxPixels, limits.maxDimension, limits.memory]
        let credentials: [String] = loading.map(\.credentials) + [Self.userCredentials(usedBy: loading)]
        var decoders: [String] = [Version.current] + ImageDecoder.formats.map(\.rawValue).sorted()
        // Added later: without it, the digest is what it was.
        if outputs.contains(where: { $0.hdr == .tonemap }) { decoders.append(HDRHandling.tonemap.rawValue) }
        let logins: [ErrorCode] = [.http(401), .http(403), .http(407)]
        return [
            setting("network", of: [.address], as: addresses, isSecret: true),
            setting("schemes", of: [.scheme], as: network.schemes.sorted()),
            setting("maxBytes", of: [.tooLarge], as: loading.map { String($0.maxBytes) }),
            setting("maxRedirects", of: [.redirects], as: loading.map { String($0.maxRedirects) }),
            setting("limits", of: [.limits], as: sizes.map { String($0) }),
            setting("credentials", of: logins, as: credentials, isSecret: true),
            setting("decoders", of: [.wrongType], as: decoders),
        ]
    }

    /// Makes a setting with a digest of its values, which has 12 bits only where they hold a secret.
    ///
    /// A reader of the state could try guessed passwords on a longer one. Of 12 bits one wrong guess in 4096 passes, so
    /// that none is confirmed; as many changes go unnoticed, whose items `retry` puts back.
    private func setting(
        _ name: String,
        of errors: [ErrorCode],
        as values: [String],
        isSecret: Bool = false
    ) -> FailureSetting {
        let digest = Digest.sha256.hex(of: values.joined(separator: "\n"))
        return FailureSetting(
            name: name,
            errors: Set(errors.map(\.rawValue)),
            value: String(digest.prefix(isSecret ? 3 : 8))
        )
    }

    /// Returns a text that changes when the user's `.netrc` does, if any host uses it.
    private static func userCredentials(usedBy loading: [LoadingSettings]) -> String {
        guard loading.contains(where: { $0.authorization == .netrc }) else { return "" }
        return ListFingerprint(path: NSHomeDirectory() + "/.netrc")?.description ?? "none"
    }
}

extension LoadingSettings {
    /// Everything that identifies the client to a server.
    fileprivate var credentials: String {
        let fields = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let authorization = authorization.map { "\($0)" } ?? "none"
        return ([authorization, userAgent ?? ""] + fields).joined(separator: "\n")
    }
}
