using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>EROFS for real: ext4 finds an error and makes itself read-only under the files that are open. Reads go on; only mounting it again ends that.</summary>
public sealed class ReadOnlyFileSystemTests(ReadOnlyFileSystemTests.ReadOnlyFileSystem fault)
    : DiskFaultTests<ReadOnlyFileSystemTests.ReadOnlyFileSystem>(fault), IClassFixture<ReadOnlyFileSystemTests.ReadOnlyFileSystem>
{
    public sealed class ReadOnlyFileSystem : DiskFault
    {
        private LoopDisk? _disk;

        public override void Dispose() => _disk?.Dispose();

        protected override string Prepare() => (_disk = new LoopDisk("ext4")).Path;

        protected override void Break() => _disk!.FindError();

        protected override bool TryMend() => _disk!.TryRemount();
    }
}
