extension LoadingSettings {
    /// The settings as a manifest writes them, those of its hosts included.
    package var json: CanonicalJSON {
        [
            "concurrency": .integer(concurrency),
            "perHost": isPerHostChosen ? .integer(perHost) : .null,
            "rate": isRateChosen ? .rate(rate) : .null,
            "burst": .integer(burst),
            "timeout": .duration(timeout),
            "connectTimeout": .duration(connectTimeout),
            "totalTimeout": .duration(totalTimeout),
            "maxRedirects": .integer(maxRedirects),
            "maxBytes": .integer(maxBytes),
            "bandwidth": bandwidth.map(CanonicalJSON.integer) ?? .null,
            "method": .word(method),
            "headers": .strings(headers),
            "userAgent": userAgent.map(CanonicalJSON.string) ?? .null,
            "auth": authorization?.json ?? .null,
            "hosts": hosts.isEmpty ? .null : .object(hosts.mapValues(\.json)),
        ]
    }
}

extension LoadingSettings.Authorization {
    /// The credentials as a manifest writes them.
    fileprivate var json: CanonicalJSON {
        switch self {
        case .bearer(let token): ["bearer": .string(token)]
        case .basic(let user, let password):
            ["basic": ["user": .string(user), "password": .string(password)]]
        case .netrc: ["netrc": true]
        case .awsSigV4(let keys):
            [
                "awsSigV4": [
                    "region": .string(keys.region), "service": .string(keys.service),
                    "accessKey": .string(keys.accessKey), "secretKey": .string(keys.secretKey),
                    "sessionToken": keys.sessionToken.map(CanonicalJSON.string) ?? .null,
                ]
            ]
        }
    }
}

extension CacheSettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON {
        [
            "directory": .string(directory),
            "sizeLimit": .integer(sizeLimit),
            "policy": .word(policy),
            "revalidate": .word(revalidate),
            "maxAge": maxAge.map(CanonicalJSON.duration) ?? .null,
            "staleIfError": .bool(staleIfError),
            "compression": .bool(compression),
        ]
    }
}

extension RetrySettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON {
        let recheck: CanonicalJSON =
            switch self.recheck {
            case .after(let time): .duration(time)
            case .never: "never"
            }
        return [
            "attempts": .integer(attempts), "backoff": .durations(backoff),
            "statuses": .array(statuses.sorted().map(CanonicalJSON.integer)), "recheck": recheck,
        ]
    }
}

extension LimitSettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON {
        [
            "processing": .integer(processing),
            "memory": .integer(memory),
            "maxPixels": .integer(maxPixels),
            "maxDimension": .integer(maxDimension),
            "maxDuration": maxDuration.map(CanonicalJSON.duration) ?? .null,
        ]
    }
}

extension NetworkSettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON {
        let proxy: CanonicalJSON =
            switch self.proxy {
            case .none: .null
            case .environment: "environment"
            case .url(let url): .string(url)
            }
        return [
            "schemes": .strings(schemes.sorted()), "allow": .strings(allow),
            "fileRoots": .strings(fileRoots), "proxy": proxy,
        ]
    }
}

extension DatasetSettings {
    /// The settings as a manifest writes them.
    package var json: CanonicalJSON {
        // Without tar files, the reader refuses a number of items for each, and the default stands for none.
        let hasItemsPerFile = pack != nil || itemsPerFile != DatasetKeys.itemsPerFile.standard
        return [
            "pack": pack.map(CanonicalJSON.word) ?? .null,
            "itemsPerFile": hasItemsPerFile ? .integer(itemsPerFile) : .null,
            "index": index.map(CanonicalJSON.string) ?? .null,
            "honourOptOut": .bool(honoursOptOut),
        ]
    }
}
