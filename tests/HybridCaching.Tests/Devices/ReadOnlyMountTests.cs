using HybridCaching.Tests.Support;

namespace HybridCaching.Tests.Devices;

/// <summary>
/// EROFS for real, and for a while only: the mount becomes read-only under a cache that is in use, then <c>remount,rw</c>. Linux refuses <c>remount,ro</c> (EBUSY) where files are open for writing, as a cache's are,
/// so it is a mount above the first one, of the same directory, that is read-only: files that are open can still be written, but none can be made, opened for writing or removed.
/// </summary>
public sealed class ReadOnlyMountTests(ReadOnlyMountTests.ReadOnlyMount fault) : DiskFaultTests<ReadOnlyMountTests.ReadOnlyMount>(fault), IClassFixture<ReadOnlyMountTests.ReadOnlyMount>
{
    public sealed class ReadOnlyMount : DiskFault
    {
        private MountedDirectory? _mount;

        public override void Dispose() => _mount?.Dispose();

        protected override string Prepare() => (_mount = new MountedDirectory("256m")).Path;

        protected override void Break() => _mount!.CoverReadOnly();

        protected override bool TryMend()
        {
            _mount!.MakeCoverWritable();
            return true;
        }
    }
}
