import JobManifest

/// The rates that a manifest allows its hosts.
struct HostRates: Sendable {
    private let loading: LoadingSettings

    init(_ manifest: Manifest) {
        loading = manifest.loading
    }

    /// Returns the requests a second that one host may get; nil without a limit.
    ///
    /// Files have none. A bucket has one only if the manifest chooses it: object stores say themselves when they are asked too
    /// often, and every worker honours that.
    func rate(of host: String) -> Double? {
        if host.isEmpty { return nil }
        if host.hasPrefix("s3://") {
            if let own = loading.ownSettings(named: host) { return own.rate.perSecond }
            let rate = loading.ofBuckets.rate
            return rate == loading.rate ? rate.perSecond : nil
        }
        return settings(of: host).rate.perSecond
    }

    /// Returns the settings of one host, as a run finds them.
    func settings(of host: String) -> LoadingSettings {
        loading.settings(named: host)
    }
}
