/** References as the APA Publication Manual (7th edition) asks, in CSL, for the kinds of source we keep. */

/**
 * The style; small on purpose: the general one of CSL takes 97 MB and most of a second to load. The word that
 * opens the layout of a citation keeps authors called "constructor" from becoming keys of the processor.
 */
export const APA = `<?xml version="1.0" encoding="utf-8"?>
<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0" initialize-with=". "
    demote-non-dropping-particle="never">
  <info>
    <title>Thimble, after APA</title>
    <id>thimble-apa</id>
    <updated>2026-01-01T00:00:00+00:00</updated>
  </info>
  <macro name="work">
    <group delimiter=" ">
      <text variable="title"/>
      <choose>
        <if variable="genre"><text variable="genre" prefix="[" suffix="]"/></if>
        <else><text variable="medium" prefix="[" suffix="]"/></else>
      </choose>
    </group>
  </macro>
  <macro name="people">
    <names variable="author">
      <name name-as-sort-order="all" and="symbol" sort-separator=", " delimiter=", "
          delimiter-precedes-last="always"/>
    </names>
  </macro>
  <macro name="lead">
    <choose>
      <if variable="author"><text macro="people"/></if>
      <else><text macro="work"/></else>
    </choose>
  </macro>
  <macro name="when">
    <choose>
      <if variable="issued">
        <group prefix="(" suffix=")">
          <date variable="issued"><date-part name="year"/></date>
          <text variable="year-suffix"/>
          <choose>
            <if type="article-journal book dataset report" match="none">
              <date variable="issued" prefix=", ">
                <date-part name="month"/>
                <date-part name="day" prefix=" "/>
              </date>
            </if>
          </choose>
        </group>
      </if>
      <else>
        <group prefix="(" suffix=")">
          <text value="n.d."/>
          <text variable="year-suffix" prefix="-"/>
        </group>
      </else>
    </choose>
  </macro>
  <macro name="whence">
    <group delimiter=" ">
      <choose>
        <if type="broadcast" variable="container-title" match="all"><text value="In"/></if>
      </choose>
      <choose>
        <if variable="container-title"><text variable="container-title"/></if>
        <else><text variable="publisher"/></else>
      </choose>
    </group>
  </macro>
  <macro name="link">
    <choose>
      <if variable="DOI"><text variable="DOI" prefix="https://doi.org/"/></if>
      <else-if variable="URL accessed" match="all">
        <choose>
          <if variable="issued"><text variable="URL"/></if>
          <else>
            <group delimiter=" ">
              <text value="Retrieved"/>
              <date variable="accessed" suffix=",">
                <date-part name="month"/>
                <date-part name="day" prefix=" "/>
                <date-part name="year" prefix=", "/>
              </date>
              <text value="from"/>
              <text variable="URL"/>
            </group>
          </else>
        </choose>
      </else-if>
      <else><text variable="URL"/></else>
    </choose>
  </macro>
  <citation disambiguate-add-year-suffix="true">
    <layout><text value="cited "/><text macro="lead"/><text macro="when"/></layout>
  </citation>
  <bibliography et-al-min="21" et-al-use-first="19" et-al-use-last="true">
    <sort>
      <key macro="lead"/>
      <key variable="issued"/>
      <key variable="title"/>
    </sort>
    <layout>
      <group delimiter=" ">
        <text macro="lead" suffix="."/>
        <text macro="when" suffix="."/>
        <choose>
          <if variable="author"><text macro="work" suffix="."/></if>
        </choose>
        <text macro="whence" suffix="."/>
        <text macro="link"/>
      </group>
    </layout>
  </bibliography>
</style>`;
