import Foundation

/// The sources of host names that this machine is set up to use (nsswitch.conf(5)).
enum NameServiceSwitch {
    /// The sources whose names are in the host file or known to the name servers of resolv.conf.
    ///
    /// `resolve` is systemd-resolved, which answers at the address in resolv.conf.
    private static let ordinary: Set<Substring> = ["files", "dns", "resolve"]

    /// True if there are other sources, such as mDNS or LDAP, which only `getaddrinfo` can ask.
    static func hasOtherSources(_ path: String = "/etc/nsswitch.conf") -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        let lines = text.split(whereSeparator: \.isNewline).map { $0.prefix { $0 != "#" } }
        guard let line = lines.last(where: { $0.hasPrefix("hosts:") }) else { return false }
        // Actions such as [NOTFOUND=return] say nothing about a source.
        return line.dropFirst("hosts:".count).split { $0 == " " || $0 == "\t" }
            .contains { !$0.hasPrefix("[") && !$0.hasSuffix("]") && !ordinary.contains($0) }
    }
}
