import CTransport
import Foundation

/// What the machine gives to transfers: proxies by environment variables, and certificate authorities.
extension TransportConfiguration {
    /// True if a request to `host` goes through a proxy, by the rules of libcurl for `http_proxy` and the like.
    func usesProxy(for url: String, host: String) -> Bool {
        switch proxy {
        case .none: return false
        case .url(let text): return !text.isEmpty
        case .environment:
            let variables = ProcessInfo.processInfo.environment
            let scheme = url.prefix { $0 != ":" }.lowercased()
            // HTTP_PROXY is a header field of requests to CGI programs.
            let names = ["\(scheme)_proxy"] + (scheme == "http" ? [] : ["\(scheme.uppercased())_PROXY"])
            let isNamed = (names + ["all_proxy", "ALL_PROXY"]).contains { variables[$0]?.isEmpty == false }
            let exceptions = ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty }
            return isNamed && !Self.isExcepted(host, by: exceptions ?? "")
        }
    }

    /// True if `list` names a host or one of its domains, or a range that its address is in; an asterisk alone names all hosts.
    static func isExcepted(_ host: String, by list: String) -> Bool {
        guard list != "*" else { return true }
        let (address, host) = (IPAddress(host), host.hasSuffix(".") ? host.dropLast() : host[...])
        return list.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { entry in
            if let address { return AddressRange(entry.lowercased())?.contains(address) ?? false }
            var name = entry.lowercased()[...]
            if name.hasSuffix(".") { name.removeLast() }
            if name.hasPrefix(".") { name.removeFirst() }
            return host == name || host.hasSuffix(".\(name)")
        }
    }

    /// The PEM file and the folder of trusted certificate authorities; nil for libcurl's own.
    var trusted: (file: String?, folder: String?) {
        certificateAuthorities.map { ($0, nil) } ?? Self.trustedByEnvironment
    }

    /// What the variables name that curl's own program reads, in its order.
    private static let trustedByEnvironment: (file: String?, folder: String?) = {
        let variables = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }
        if let bundle = variables["CURL_CA_BUNDLE"] { return (bundle, nil) }
        return (variables["SSL_CERT_FILE"], variables["SSL_CERT_DIR"])
    }()

    /// A sentence about the trusted certificate authorities, which cannot be read or are none, with a remedy; nil if there are
    /// some.
    ///
    /// Reads the first kilobytes of their file, on the calling thread.
    package var certificateProblem: String? {
        guard Transport.libraryProblem == nil, let version = curl_version_info(CURLVERSION_SEVENTH)?.pointee
        else { return nil }
        let chosen = trusted.file
        // A file that cannot be read ends a transfer, whatever is in the folder of certificates (libcurl 7.88).
        guard let path = chosen ?? version.cainfo.map({ String(cString: $0) }) else { return nil }
        let remedy =
            certificateAuthorities != nil
            ? "name a PEM file that has some"
            : chosen == nil
                ? "install the package ca-certificates"
                : "correct CURL_CA_BUNDLE or SSL_CERT_FILE in the environment"
        guard let file = FileHandle(forReadingAtPath: path) else {
            return "the file of certificate authorities \(path) cannot be read: \(remedy)"
        }
        defer { try? file.close() }
        let beginning = (try? file.read(upToCount: 256 * 1024)) ?? Data()
        guard beginning.range(of: Data("-----BEGIN ".utf8)) == nil else { return nil }
        return "the file of certificate authorities \(path) has no certificates: \(remedy)"
    }
}
