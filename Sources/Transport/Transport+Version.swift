import CTransport

extension Transport {
    /// The version of the libcurl in use, such as `libcurl 7.88.1`.
    public static var libraryVersion: String {
        guard libraryProblem == nil, let version = curl_version_info(CURLVERSION_FIRST)?.pointee.version
        else { return "libcurl" }
        return "libcurl \(String(cString: version))"
    }
}
