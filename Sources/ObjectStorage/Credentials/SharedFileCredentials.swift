import Foundation
import Transport

/// The credentials of a profile in the files that AWS's tools share: `~/.aws/credentials` and `~/.aws/config`.
///
/// Keys, and roles with a web identity or with the keys of another profile, are supported. Profiles that need a program or a
/// browser are refused by name.
struct SharedFileCredentials: CredentialProviding {
    private let files: SharedFiles
    private let tokens: SecurityTokenService

    /// The most profiles that refer to each other.
    private static let deepest = 5

    init(_ environment: [String: String], _ tokens: SecurityTokenService) {
        files = SharedFiles(environment)
        self.tokens = tokens
    }

    func credentials() async throws(CredentialError) -> AWSCredentials? {
        let profiles = try files.profiles()
        guard let profile = profiles[files.profile] else {
            guard files.isProfileChosen else { return nil }
            throw CredentialError(
                "there is no profile \"\(files.profile)\" in \(files.credentialsPath) or \(files.configPath): "
                    + "check AWS_PROFILE"
            )
        }
        return try await credentials(of: profile, named: files.profile, in: profiles, depth: 0)
    }

    private func credentials(
        of profile: [String: String],
        named name: String,
        in profiles: [String: [String: String]],
        depth: Int
    ) async throws(CredentialError) -> AWSCredentials? {
        guard depth < Self.deepest else {
            throw CredentialError("the AWS profiles refer to each other in a circle: check source_profile")
        }
        if let role = profile["role_arn"] {
            return try await credentials(ofRole: role, profile, named: name, in: profiles, depth: depth)
        }
        let (accessKey, secretKey) = (profile["aws_access_key_id"], profile["aws_secret_access_key"])
        if let accessKey, let secretKey, !accessKey.isEmpty, !secretKey.isEmpty {
            return AWSCredentials(
                accessKey: accessKey,
                secretKey: secretKey,
                sessionToken: profile["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
            )
        }
        if accessKey != nil || secretKey != nil {
            throw CredentialError("the AWS profile \"\(name)\" has only one half of a key")
        }
        for (key, what) in [
            ("credential_process", "a program"), ("sso_session", "a login"), ("sso_start_url", "a login"),
        ]
        where profile[key] != nil {
            throw CredentialError(
                """
                the AWS profile \"\(name)\" gets its credentials from \(what) (\(key)), which is not supported: \
                run eval "$(aws configure export-credentials --profile \(name) --format env)" before
                """
            )
        }
        return nil
    }

    private func credentials(
        ofRole role: String,
        _ profile: [String: String],
        named name: String,
        in profiles: [String: [String: String]],
        depth: Int
    ) async throws(CredentialError) -> AWSCredentials {
        let session = profile["role_session_name"] ?? "nuke-batch"
        if let file = profile["web_identity_token_file"] {
            return try await tokens.credentials(ofRole: role, session: session, tokenFile: file)
        }
        guard let sourceName = profile["source_profile"], let source = profiles[sourceName] else {
            throw CredentialError(
                """
                the role of the AWS profile \"\(name)\" has neither web_identity_token_file nor a source_profile that \
                exists; other sources of a role are not supported
                """
            )
        }
        // A profile may name itself, for the keys that stand beside its role.
        var own = source
        if sourceName == name { own["role_arn"] = nil }
        let keys = try await credentials(of: own, named: sourceName, in: profiles, depth: depth + 1)
        guard let keys else {
            throw CredentialError("the AWS profile \"\(sourceName)\", the source of \"\(name)\", has no keys")
        }
        return try await tokens.credentials(
            ofRole: role,
            session: session,
            keys: keys,
            externalID: profile["external_id"]
        )
    }
}

/// The files that AWS's tools share, and the profile that the environment chooses.
struct SharedFiles: Sendable {
    let profile: String
    let isProfileChosen: Bool
    let credentialsPath: String
    let configPath: String

    init(_ environment: [String: String]) {
        let environment = environment.filter { !$0.value.isEmpty }
        let chosen = environment["AWS_PROFILE"]
        profile = chosen ?? "default"
        isProfileChosen = chosen != nil
        let home = environment["HOME"] ?? "/nonexistent"
        credentialsPath = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials"
        configPath = environment["AWS_CONFIG_FILE"] ?? "\(home)/.aws/config"
    }

    /// Returns the settings of every profile; those of the file of credentials go before those of the configuration.
    /// - Throws: ``CredentialError`` for a file that exists but cannot be read.
    func profiles() throws(CredentialError) -> [String: [String: String]] {
        var profiles = try Self.sections(of: configPath, isConfig: true)
        for (name, settings) in try Self.sections(of: credentialsPath, isConfig: false) {
            profiles[name, default: [:]].merge(settings) { _, new in new }
        }
        return profiles
    }

    /// The settings of the chosen profile; none without one, and for files that cannot be read.
    var settings: [String: String] { (try? profiles())?[profile] ?? [:] }

    private static func sections(of path: String, isConfig: Bool) throws(CredentialError) -> [String: [String:
        String]]
    {
        guard FileManager.default.fileExists(atPath: path) else { return [:] }
        guard let data = FileManager.default.contents(atPath: path), data.count <= 1 << 20 else {
            throw CredentialError("\(path) cannot be read: check its permissions")
        }
        var sections: [String: [String: String]] = [:]
        var open: String?
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let text = line.trimmingCharacters(in: .whitespaces)
            // Comments, and settings that belong to the one above them.
            if text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") || line.first?.isWhitespace == true
            {
                continue
            }
            if text.hasPrefix("[") {
                open = name(ofSection: text.dropFirst().prefix { $0 != "]" }, isConfig: isConfig)
                if let open { sections[open] = sections[open] ?? [:] }
                continue
            }
            guard let open, let equals = text.firstIndex(of: "=") else { continue }
            let key = text[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
            sections[open]?[key] = text[text.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        }
        return sections
    }

    /// Returns the profile of a section; nil for sections of something else.
    ///
    /// In the configuration, every section but the default one has the word `profile` before its name.
    private static func name(ofSection text: Substring, isConfig: Bool) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard isConfig else { return words.joined(separator: " ") }
        if words == ["default"] { return "default" }
        return words.count >= 2 && words[0] == "profile" ? words.dropFirst().joined(separator: " ") : nil
    }
}
