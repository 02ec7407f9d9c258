import Foundation

extension LoadingSettings {
    /// What proves to an origin who asks.
    public enum Authorization: Sendable, Equatable {
        /// A token (RFC 6750).
        case bearer(String)
        /// A user and a password (RFC 7617).
        case basic(user: String, password: String)
        /// What the user's `.netrc` says of the host.
        case netrc
        /// A signature of each request (AWS Signature Version 4).
        case awsSigV4(AWSKeys)
    }

    /// What signs requests to AWS and its kin.
    public struct AWSKeys: Sendable, Equatable {
        /// The region, as `eu-central-1`.
        public let region: String
        /// The service, as `s3`.
        public let service: String
        /// The id of the key.
        public let accessKey: String
        /// The key; where the manifest has none, that of the environment (`AWS_SECRET_ACCESS_KEY`).
        public let secretKey: String
        /// The token of a session with temporary keys.
        public let sessionToken: String?
    }
}

extension LoadingSettings.Authorization {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.authorization) else { return nil }
        guard fields.keys.count == 1 else {
            node.report("has one key: \"bearer\", \"basic\", \"netrc\" or \"awsSigV4\"")
            return nil
        }
        if let token = fields["bearer"]?.headerText() {
            self = .bearer(token)
        } else if let basic = fields["basic"]?.fields(.basic) {
            self.init(basic: basic)
        } else if let netrc = fields["netrc"] {
            guard netrc.bool() == true else {
                netrc.report("is true, or is left out")
                return nil
            }
            self = .netrc
        } else if let keys = fields["awsSigV4"]?.fields(.awsSigV4) {
            self.init(keys: keys)
        } else {
            return nil
        }
    }

    private init?(basic: Fields) {
        basic.require("user")
        basic.require("password")
        guard let user = basic["user"]?.headerText(), let password = basic["password"]?.headerText() else {
            return nil
        }
        if user.contains(":") {
            basic["user"]?.report("holds a colon, which basic authentication cannot send")
        }
        self = .basic(user: user, password: password)
    }

    private init?(keys: Fields) {
        for name in ["region", "service", "accessKey"] { keys.require(name) }
        let environment = ProcessInfo.processInfo.environment["AWS_SECRET_ACCESS_KEY"]
        let secretKey = keys["secretKey"].map { $0.headerText() } ?? environment
        if secretKey == nil, keys["secretKey"] == nil {
            keys.owner.report(
                "\"secretKey\" is missing: add it, or set AWS_SECRET_ACCESS_KEY in the environment"
            )
        }
        guard let region = keys["region"]?.headerText(), let service = keys["service"]?.headerText(),
            let accessKey = keys["accessKey"]?.headerText(), let secretKey
        else { return nil }
        for (name, text) in [("region", region), ("service", service)]
        where text.isEmpty || text.contains(":") {
            keys[name]?.report("is empty or holds a colon")
        }
        self = .awsSigV4(
            LoadingSettings.AWSKeys(
                region: region,
                service: service,
                accessKey: accessKey,
                secretKey: secretKey,
                sessionToken: keys["sessionToken"]?.headerText()
            )
        )
    }
}

extension ManifestNode {
    /// A string for a header of a request, expanded.
    func headerText() -> String? {
        guard let text = expandedString() else { return nil }
        if !Self.isHeaderValue(text) { report("holds a line break or another control character: remove it") }
        return text
    }
}
