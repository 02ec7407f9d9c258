import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage
import Transport

/// The finding about certificate authorities, without which no server of `https` is trusted.
struct CertificateFinding {
    let manifest: Manifest?
    let options: RunOptions

    /// The finding: trouble if the job needs authorities, or may need them, and there are none.
    func finding() -> Diagnosis.Finding {
        guard let problem = TransportConfiguration().certificateProblem else {
            return Diagnosis.Finding(
                "certificates",
                .ok,
                message: "there are certificate authorities to trust"
            )
        }
        let parts = problem.split(separator: ": ", maxSplits: 1).map(String.init)
        return Diagnosis.Finding(
            "certificates",
            isNeeded ? .trouble : .note,
            message: parts[0],
            remedy: parts.count > 1 ? parts[1] : nil
        )
    }

    private var isNeeded: Bool {
        guard let manifest else { return false }
        if case .url(let proxy) = manifest.network.proxy, Self.isSecure(proxy) { return true }
        let storesAreSecure = Self.storesAreSecure(manifest)
        if storesAreSecure, manifest.usesObjectStore || manifest.destination.bucket != nil { return true }
        var schemes = manifest.network.schemes.intersection(["https"])
        if storesAreSecure { schemes.formUnion(manifest.network.schemes.intersection(["s3"])) }
        guard !schemes.isEmpty else { return false }
        // The items are known when the job has been planned.
        if let known = itemsHaveAny(of: schemes) {
            return known || manifest.sources.contains(where: Self.isSecureSitemap)
        }
        return manifest.sources.contains(where: Self.mayHaveURLs)
    }

    /// True if requests to object stores are encrypted: everywhere but at an endpoint of `http`.
    private static func storesAreSecure(_ manifest: Manifest) -> Bool {
        (try? manifest.storageService())?.configuration.endpoint.map(isSecure) ?? true
    }

    /// True if a listed item of the state has a URL of one of the schemes; nil if there is no state.
    private func itemsHaveAny(of schemes: Set<String>) -> Bool? {
        guard let manifest, let reader = try? JobReader(path: options.statePath(of: manifest)),
            (try? reader.revision()) != nil
        else { return nil }
        return try? reader.hasItems(ofSchemes: schemes)
    }

    private static func isSecure(_ url: String) -> Bool { url.lowercased().hasPrefix("https:") }

    private static func isSecureSitemap(_ source: Source) -> Bool {
        guard case .sitemap(let sitemap) = source.kind else { return false }
        return isSecure(sitemap.url)
    }

    /// True if only planning finds out which URLs a source has.
    private static func mayHaveURLs(_ source: Source) -> Bool {
        switch source.kind {
        case .files, .objects: false
        case .urls(let entries): entries.contains { !$0.url.lowercased().hasPrefix("http:") }
        case .list, .template, .sitemap, .sqlite: true
        }
    }
}
