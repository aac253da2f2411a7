/** References as the APA Publication Manual (7th edition) asks, in CSL, for the kinds of source we keep. */
import { BY_LEAD, CITED, LEAD, longDate, toStyle } from './style.ts';

const WORK = `<macro name="work">
    <group delimiter=" ">
      <text variable="title"/>
      <choose>
        <if variable="genre"><text variable="genre" prefix="[" suffix="]"/></if>
        <else><text variable="medium" prefix="[" suffix="]"/></else>
      </choose>
    </group>
  </macro>`;

const PEOPLE = `<macro name="people">
    <names variable="author">
      <name name-as-sort-order="all" and="symbol" sort-separator=", " delimiter=", "
          delimiter-precedes-last="always"/>
    </names>
  </macro>`;

const WHEN = `<macro name="when">
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
  </macro>`;

const WHENCE = `<macro name="whence">
    <group delimiter=" ">
      <choose>
        <if type="broadcast" variable="container-title" match="all"><text value="In"/></if>
      </choose>
      <choose>
        <if variable="container-title"><text variable="container-title"/></if>
        <else><text variable="publisher"/></else>
      </choose>
    </group>
  </macro>`;

/** The day counts where the work has none of its own. */
const RETRIEVED = `<macro name="link">
    <choose>
      <if variable="DOI"><text variable="DOI" prefix="https://doi.org/"/></if>
      <else-if variable="URL accessed" match="all">
        <choose>
          <if variable="issued"><text variable="URL"/></if>
          <else>
            <group delimiter=" ">
              <text value="Retrieved"/>
              ${longDate('accessed', 'suffix=","')}
              <text value="from"/>
              <text variable="URL"/>
            </group>
          </else>
        </choose>
      </else-if>
      <else><text variable="URL"/></else>
    </choose>
  </macro>`;

/** The style. */
export const APA = toStyle({
  name: 'APA',
  attributes: 'initialize-with=". " demote-non-dropping-particle="never"',
  macros: [WORK, PEOPLE, LEAD, WHEN, WHENCE, RETRIEVED],
  citation: CITED,
  bibliography: `<bibliography et-al-min="21" et-al-use-first="19" et-al-use-last="true">
    ${BY_LEAD}
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
  </bibliography>`,
});
